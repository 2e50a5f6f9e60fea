//! What nodes are joined by, and what MPI libraries are told where that is TCP.

use std::fs;

/// Where the system lists the devices of networks that UCX and libfabric have better ways over than TCP.
const FABRICS: [&str; 2] = ["/sys/class/infiniband", "/sys/class/cxi"];

/// What MPICH passes its tests with over TCP. With UCX some calls hang there, and one ends the process.
pub const OVER_TCP: [(&str, &str); 2] = [("MPIR_CVAR_CH4_NETMOD", "ofi"), ("FI_PROVIDER", "tcp;ofi_rxm")];

/// How variables begin by which users choose a network themselves.
const OF_USERS: [&str; 5] = ["MPIR_CVAR_CH4_NETMOD", "MPIR_CVAR_OFI_", "MPIR_CVAR_CH4_OFI_", "FI_", "UCX_"];

/// The devices of this node.
pub fn fabrics() -> Vec<String> {
    let entries = FABRICS.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// What carries messages from this node to others, in words: its devices, and who chooses the way over them.
pub fn way(version: &str, has_choice: bool, fabrics: &[String], variables: &[(String, String)]) -> String {
    let devices = if fabrics.is_empty() { "TCP".to_string() } else { fabrics.join(" ") };
    let said: Vec<String> = variables
        .iter()
        .filter(|(name, _)| is_of_user(name))
        .map(|(name, value)| format!("{name}={}", rankine_system::shown::line(value)))
        .collect();
    let library = library(version);
    if !said.is_empty() {
        return format!("{devices}: {library} goes as {} says", said.join(" "));
    }
    if !has_choice || !fabrics.is_empty() {
        return format!("{devices}: {library} chooses its way");
    }
    format!("{devices}: {library} goes by UCX, and in jobs of --grid by libfabric")
}

/// What a library calls itself, in a sentence: "MPICH Version: 5.0.2" says too much.
pub fn library(version: &str) -> String {
    rankine_system::shown::line(&version.replace(" Version:", ""))
}

fn is_of_user(name: &str) -> bool {
    OF_USERS.iter().any(|beginning| name.starts_with(beginning))
}

/// Whether a library, which is loaded, can go both by UCX and by libfabric.
pub fn has_choice(version: &str) -> bool {
    let loaded = fs::read_to_string("/proc/self/maps").unwrap_or_default();
    version.starts_with("MPICH") && ["/libucp.so", "/libfabric.so"].iter().all(|part| loaded.contains(part))
}

/// What a library that has the choice is told: nothing where the user has said something of the network.
pub fn settings<'v>(variables: impl IntoIterator<Item = &'v str>) -> &'static [(&'static str, &'static str)] {
    if variables.into_iter().any(is_of_user) { &[] } else { &OVER_TCP }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_is_said() {
        let mpich = "MPICH Version: 5.0.2";
        assert_eq!(way(mpich, true, &[], &[]), "TCP: MPICH 5.0.2 goes by UCX, and in jobs of --grid by libfabric");
        assert_eq!(way(mpich, false, &[], &[]), "TCP: MPICH 5.0.2 chooses its way");
        assert_eq!(way(mpich, true, &["mlx5_0".into()], &[]), "mlx5_0: MPICH 5.0.2 chooses its way");
        let set = [("PATH".into(), "/bin".into()), ("UCX_TLS".into(), "tcp,self".into())];
        assert_eq!(way(mpich, true, &[], &set), "TCP: MPICH 5.0.2 goes as UCX_TLS=tcp,self says");
    }

    #[test]
    fn a_users_choice_stands() {
        assert_eq!(settings(["PATH", "MPIR_CVAR_CH4_PROGRESS_THROTTLE"]), OVER_TCP);
        for name in ["UCX_TLS", "UCX_NET_DEVICES", "FI_PROVIDER", "MPIR_CVAR_CH4_NETMOD"] {
            assert!(settings(["PATH", name]).is_empty(), "{name}");
        }
    }
}
