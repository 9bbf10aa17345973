//! The user that this process runs as.

use std::fs;

/// Whether this process runs as a user.
pub(super) fn is_current(name: &str) -> bool {
    let id = rustix::process::geteuid().as_raw();
    // A container image may have no list of users.
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    id_of(&users, name).or((name == "root").then_some(0)) == Some(id)
}

/// Returns the ID of a user from a text in the format of passwd(5).
fn id_of(users: &str, name: &str) -> Option<u32> {
    users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let is_user = fields.next() == Some(name);
        fields.nth(1).filter(|_| is_user)?.parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::id_of;

    #[test]
    fn numbers_of_users_are_read() {
        let users = "root:x:0:0:root:/root:/bin/bash\nwww-data:x:33:33:www:/var/www:/bin/sh\nodd\n";
        assert_eq!(id_of(users, "root"), Some(0));
        assert_eq!(id_of(users, "www-data"), Some(33));
        assert_eq!(id_of(users, "odd"), None);
        assert_eq!(id_of(users, "x"), None);
    }
}
