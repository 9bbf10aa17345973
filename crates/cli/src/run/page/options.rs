//! [`PageOptions`] and [`PageSettings`].

use std::env;
use std::fs;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use clap::Args;

use crate::error::Error;
use crate::run::process::PAGE_TOKEN;

/// The page that shows what runs.
#[derive(Args, Debug)]
pub(crate) struct PageOptions {
    /// Serve a page that shows what runs at this address, such as 127.0.0.1:8080
    #[arg(long, value_name = "ADDRESS")]
    page: Option<String>,

    /// Let visitors of the page run, pause and resume jobs and cancel runs, once they have given the token
    #[arg(long, requires = "page")]
    page_actions: bool,

    /// Read the token of the page from this file, rather than from `MILLICRON_PAGE_TOKEN`
    #[arg(long, value_name = "FILE", requires = "page")]
    page_token_file: Option<PathBuf>,

    /// A name under which browsers reach the page, besides IP addresses, `localhost` and the name in --page. Then,
    /// reading needs the token, too
    #[arg(long, value_name = "NAME", requires = "page")]
    page_host: Vec<String>,
}

/// The shortest token, in bytes, that cannot be guessed in time.
const SHORTEST_TOKEN: usize = 16;

/// Fails unless a text is the name of a host, without a port.
fn check_host(host: &str) -> Result<(), Error> {
    let may_have = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
    let is_name = !host.is_empty() && !host.ends_with('.') && host.bytes().all(may_have);
    if is_name || host.parse::<IpAddr>().is_ok() {
        return Ok(());
    }
    Err(Error::new(format_args!("`{host}` is not the name of a host"))
        .hint("write only the name, such as `jobs.example.org`, without a scheme or a port"))
}

/// Who may see the page, and act.
#[derive(Clone, Debug, Default)]
#[cfg_attr(not(feature = "page"), expect(dead_code, reason = "without a page"))]
pub(crate) struct PageSettings {
    pub(super) token: Option<String>,
    /// Whether reading needs no token.
    pub(super) is_public: bool,
    pub(super) has_actions: bool,
    pub(super) hosts: Vec<String>,
}

impl PageOptions {
    /// Returns the address, if there is a page.
    #[cfg_attr(not(feature = "server"), expect(dead_code, reason = "without a server"))]
    pub(crate) fn address(&self) -> Option<&str> {
        self.page.as_deref()
    }

    /// Returns the settings of the page at an address, if there is a page.
    pub(crate) fn settings(
        &self,
        address: Option<SocketAddr>,
    ) -> Result<Option<PageSettings>, Error> {
        let Some(page) = &self.page else { return Ok(None) };
        if cfg!(not(feature = "page")) {
            #[cfg(not(feature = "page"))]
            return Err(Error::without_feature("--page", "page"));
        }
        let token = self.token()?;
        for host in &self.page_host {
            check_host(host)?;
        }
        // With a name of its own, it is behind a proxy, which others can reach.
        let is_loopback = address.is_some_and(|address| address.ip().is_loopback());
        let is_public = is_loopback && self.page_host.is_empty();
        let how = format!("set `{PAGE_TOKEN}`, or write one to a file for `--page-token-file`");
        if token.is_none() && !is_public {
            let message = "a page that other machines can reach needs a token";
            let without =
                if is_loopback { "leave out `--page-host`" } else { "listen on 127.0.0.1" };
            return Err(Error::new(message).hint(format_args!("{how}; or {without}")));
        }
        if token.is_none() && self.page_actions {
            return Err(Error::new("`--page-actions` needs a token").hint(how));
        }
        let name = page.rsplit_once(':').map(|(name, _)| name.to_owned());
        let hosts = self.page_host.iter().cloned().chain(name).collect();
        let has_actions = self.page_actions;
        Ok(Some(PageSettings { token, is_public, has_actions, hosts }))
    }

    fn token(&self) -> Result<Option<String>, Error> {
        let token = self.read_token()?;
        if token.as_ref().is_some_and(|token| token.len() < SHORTEST_TOKEN) {
            let message =
                format_args!("the token of the page is shorter than {SHORTEST_TOKEN} bytes");
            return Err(Error::new(message).hint("use a long random text"));
        }
        Ok(token)
    }

    fn read_token(&self) -> Result<Option<String>, Error> {
        let Some(path) = &self.page_token_file else {
            let token = env::var_os(PAGE_TOKEN).filter(|token| !token.is_empty());
            let token = token.map(|token| token.into_string().map_err(|_| ()));
            let invalid = |()| Error::new(format_args!("`{PAGE_TOKEN}` is not valid UTF-8"));
            return token.transpose().map_err(invalid);
        };
        let text = fs::read_to_string(path).map_err(|error| {
            Error::because(format_args!("cannot read the token in `{}`", path.display()), error)
        })?;
        let token = text.trim();
        if token.is_empty() {
            let message = format!("the file `{}` has no token", path.display());
            return Err(Error::new(message).hint("write a long random text to it"));
        }
        Ok(Some(token.to_owned()))
    }
}

#[cfg(all(test, feature = "page"))]
mod tests {
    use std::path::PathBuf;

    use super::PageOptions;

    #[test]
    fn the_name_in_the_address_is_one_of_the_page() {
        let page_token_file =
            Some(PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")));
        for (page, hosts) in [
            ("jobs.example.org:80", &["other.example.org", "jobs.example.org"]),
            ("127.0.0.1:80", &["other.example.org", "127.0.0.1"]),
        ] {
            let options = PageOptions {
                page: Some(page.to_owned()),
                page_actions: false,
                page_token_file: page_token_file.clone(),
                page_host: vec!["other.example.org".to_owned()],
            };
            let settings = options.settings(None).expect("valid options").expect("a page");
            assert_eq!(settings.hosts, hosts, "{page}");
        }
    }
}
