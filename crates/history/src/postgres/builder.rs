//! [`PostgresBuilder`].

use std::fmt::Write as _;
use std::time::Duration;

use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::tls::{MakeTlsConnect, TlsConnect};
use tokio_postgres::{Config, NoTls, Socket};

use super::PostgresHistory;
use super::connection::{Connected, Connection, Settings};
use crate::error::{PostgresError, PostgresErrorKind};

/// The maximum length of a name in `PostgreSQL`, in bytes. It truncates longer ones.
const MAX_NAME: usize = 63;

/// How long connecting to a host may take, unless the connection string says otherwise.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// A builder for a [`PostgresHistory`], created by [`PostgresHistory::builder`].
#[derive(Clone, Debug)]
#[must_use = "nothing is connected until `connect` is called"]
pub struct PostgresBuilder {
    connection_string: String,
    schema: String,
    answer_timeout: Duration,
}

impl PostgresBuilder {
    pub(super) fn new(connection_string: &str) -> Self {
        Self {
            connection_string: connection_string.to_owned(),
            schema: "millicron".to_owned(),
            answer_timeout: Duration::from_secs(30),
        }
    }

    /// Sets the schema that contains the tables. It is created if it does not exist. The default is
    /// `millicron`.
    ///
    /// Each schema contains a separate history.
    pub fn schema(self, schema: &str) -> Self {
        Self { schema: schema.to_owned(), ..self }
    }

    /// Sets how long a method waits for a locked row, and then how long the server may take to execute
    /// it. The default is 30 seconds: choose more for methods that read or write millions of records.
    /// [`Duration::MAX`] means no limit, except that the wait for a locked row is limited to 12 days.
    ///
    /// A server that accepts statements but does not answer, because it is suspended or its disk hangs,
    /// is detected after twice this timeout. The method fails without being retried, and the next one
    /// connects again.
    pub fn answer_timeout(self, timeout: Duration) -> Self {
        Self { answer_timeout: timeout, ..self }
    }

    /// Connects without TLS, and creates the tables if they do not exist.
    ///
    /// # Errors
    ///
    /// Returns an error if the connection string is invalid or requires TLS, the server cannot be
    /// reached or refuses the user, the user lacks a permission, or the tables have a later version.
    /// There is only one attempt to connect.
    pub fn connect(self) -> Result<PostgresHistory, PostgresError> {
        self.open(NoTls, true)
    }

    /// Connects with TLS, unless the connection string says `sslmode=disable`, and creates the tables
    /// if they do not exist.
    ///
    /// `tls` is a connector for `tokio-postgres`, for example from the crate `tokio-postgres-rustls` or
    /// `postgres-native-tls`. Unless the connection string says `sslmode=require`, a server without TLS
    /// is accepted.
    ///
    /// # Errors
    ///
    /// Returns an error in the same cases as [`connect`](Self::connect), or if the server cannot be
    /// verified.
    pub fn connect_tls<T>(self, tls: T) -> Result<PostgresHistory, PostgresError>
    where
        T: MakeTlsConnect<Socket> + Clone + Send + Sync + 'static,
        T::Stream: Send + 'static,
        T::TlsConnect: Send,
        <T::TlsConnect as TlsConnect<Socket>>::Future: Send,
    {
        self.open(tls, false)
    }

    fn open<T>(self, tls: T, is_plain: bool) -> Result<PostgresHistory, PostgresError>
    where
        T: MakeTlsConnect<Socket> + Clone + Send + Sync + 'static,
        T::Stream: Send + 'static,
        T::TlsConnect: Send,
        <T::TlsConnect as TlsConnect<Socket>>::Future: Send,
    {
        let Self { connection_string, schema, answer_timeout } = self;
        if schema.is_empty() || schema.len() > MAX_NAME || schema.contains('\0') {
            let kind = PostgresErrorKind::InvalidSchema { schema };
            return Err(PostgresError::new(None, kind, None));
        }
        let config = configure(&connection_string)?;
        let server = server(&config);
        if is_plain && config.get_ssl_mode() == SslMode::Require {
            return Err(PostgresError::new(Some(server), PostgresErrorKind::TlsRequired, None));
        }
        let connect_timeout = connect_timeout(&config);
        let connector = Box::new(move || {
            let (config, tls) = (config.clone(), tls.clone());
            let connect = async move {
                let (client, connection) = config.connect(tls).await?;
                // The next statement reports its error.
                let driver = Box::pin(async move { drop(connection.await) });
                Ok::<Connected, _>((client, driver))
            };
            Box::pin(connect) as _
        });
        let settings = Settings { connector, schema, server, connect_timeout, answer_timeout };
        Ok(PostgresHistory::new(Connection::open(settings)?))
    }
}

/// Parses a connection string, and limits how long it takes to notice a lost server.
fn configure(connection_string: &str) -> Result<Config, PostgresError> {
    let invalid =
        |source| PostgresError::new(None, PostgresErrorKind::InvalidConnectionString, Some(source));
    let mut config: Config =
        connection_string.parse().map_err(|error: tokio_postgres::Error| {
            if may_quote_password(connection_string) {
                invalid("it is neither a URL nor a list of known settings with values".into())
            } else {
                invalid(error.into())
            }
        })?;
    if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
        return Err(invalid("it has no host".into()));
    }
    if config.get_user().is_none() {
        return Err(invalid("it has no user".into()));
    }
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(CONNECT_TIMEOUT);
    }
    if config.get_keepalives_idle() == Config::new().get_keepalives_idle() {
        config.keepalives_idle(Duration::from_secs(10));
    }
    if config.get_keepalives_interval().is_none() {
        config.keepalives_interval(Duration::from_secs(5));
    }
    if config.get_keepalives_retries().is_none() {
        config.keepalives_retries(3);
    }
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(Duration::from_secs(30));
    }
    if config.get_application_name().is_none() {
        config.application_name("millicron");
    }
    Ok(config)
}

/// Whether an error in a connection string may quote a password. The name of an unknown setting may be part of one that
/// contains a space, or of a URL whose scheme is misspelled.
fn may_quote_password(connection_string: &str) -> bool {
    let is_url =
        ["postgres://", "postgresql://"].iter().any(|it| connection_string.starts_with(it));
    !is_url && (connection_string.contains('@') || connection_string.contains("password"))
}

/// Returns how long connecting may take in total: the setting applies to each host.
fn connect_timeout(config: &Config) -> Duration {
    let hosts = config.get_hosts().len().max(config.get_hostaddrs().len());
    let timeout = config.get_connect_timeout().copied().unwrap_or(CONNECT_TIMEOUT);
    timeout.saturating_mul(u32::try_from(hosts).unwrap_or(u32::MAX))
}

/// Describes where the database is, without user and password.
fn server(config: &Config) -> String {
    let mut server = String::new();
    let hosts = config.get_hosts().iter().map(|host| match host {
        Host::Tcp(host) => host.clone(),
        #[cfg(unix)]
        Host::Unix(path) => path.display().to_string(),
    });
    let addresses = config.get_hostaddrs().iter().map(ToString::to_string);
    let hosts: Vec<String> =
        if config.get_hosts().is_empty() { addresses.collect() } else { hosts.collect() };
    for (index, host) in hosts.iter().enumerate() {
        let separator = if index == 0 { "" } else { "," };
        let ports = config.get_ports();
        let port = ports.get(index).or_else(|| ports.first()).copied().unwrap_or(5432);
        // Writing to a string does not fail.
        let _ = write!(server, "{separator}{host}:{port}");
    }
    if let Some(database) = config.get_dbname() {
        server.push('/');
        server.push_str(database);
    }
    server
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::configure;

    #[test]
    fn lost_servers_are_noticed_after_the_default_time_or_as_the_connection_string_says() {
        let seconds = |connection_string: &str| {
            let config = configure(connection_string).expect("a connection string");
            let times = [
                config.get_connect_timeout().copied(),
                Some(config.get_keepalives_idle()),
                config.get_keepalives_interval(),
                config.get_tcp_user_timeout().copied(),
            ];
            let times = times.map(|time| time.as_ref().map(Duration::as_secs));
            (
                times,
                config.get_keepalives_retries(),
                config.get_application_name().map(str::to_owned),
            )
        };
        assert_eq!(
            seconds("host=localhost user=jobs"),
            ([Some(10), Some(10), Some(5), Some(30)], Some(3), Some("millicron".to_owned())),
        );
        assert_eq!(
            seconds(
                "host=localhost user=jobs connect_timeout=1 keepalives_idle=2 \
                 keepalives_interval=3 keepalives_retries=4 tcp_user_timeout=6 \
                 application_name=shop"
            ),
            ([Some(1), Some(2), Some(3), Some(6)], Some(4), Some("shop".to_owned())),
        );
    }
}
