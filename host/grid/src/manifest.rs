//! A job for the MPI Operator of Kubernetes: the MPIJob (kubeflow.org/v2beta1), and a container file for its image.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::json;

/// A job in pods.
pub struct Manifest<'a> {
    /// What it is called: a name as the domain system takes it.
    pub name: &'a str,
    /// The image of all its pods.
    pub image: &'a str,
    /// Ranks in all.
    pub ranks: usize,
    /// Ranks in a pod.
    pub slots: usize,
    /// What the program is called.
    pub program: &'a str,
    /// Words for `rankine run` before the program.
    pub options: &'a [String],
    /// Words for the program.
    pub arguments: &'a [String],
}

/// The files that are written.
pub const FILES: [&str; 2] = ["mpijob.yaml", "Containerfile"];

/// The folder of the image in which the program lies.
const FOLDER: &str = "/job";

/// Whether Kubernetes takes this as a name: as a label of the domain system.
pub fn is_name(text: &str) -> bool {
    let is_edge = |c: Option<char>| c.is_some_and(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    text.len() <= 50
        && is_edge(text.chars().next())
        && is_edge(text.chars().last())
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}

/// Whether this can be an image: of the characters of such names.
pub fn is_image(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "._-/:@".contains(c))
}

impl Manifest<'_> {
    /// The MPIJob. Words are quoted as JSON does, which YAML understands.
    pub fn job(&self) -> String {
        let pods = self.ranks.div_ceil(self.slots);
        let mut words: Vec<String> = ["mpiexec", "-n"].map(String::from).to_vec();
        words.extend([self.ranks.to_string(), "rankine".into(), "run".into()]);
        words.extend(self.options.iter().cloned());
        words.push(format!("{FOLDER}/{}", self.program));
        words.extend(self.arguments.iter().cloned());
        let (name, image, command) = (json!(self.name), json!(self.image), json!(words));
        let serve = json!(["/usr/sbin/sshd", "-D", "-e"]);
        let mut text = String::new();
        let _ = write!(
            text,
            "apiVersion: kubeflow.org/v2beta1\nkind: MPIJob\nmetadata:\n  name: {name}\nspec:\n  slotsPerWorker: {}\n",
            self.slots
        );
        let _ =
            write!(text, "  mpiImplementation: MPICH\n  runPolicy:\n    cleanPodPolicy: Running\n  mpiReplicaSpecs:\n");
        for (role, replicas, command) in [("Launcher", 1, command), ("Worker", pods, serve)] {
            let container = role.to_lowercase();
            let _ = write!(
                text,
                "    {role}:\n      replicas: {replicas}\n      template:\n        spec:\n          containers:\n\
                 \x20           - name: {container}\n              image: {image}\n              command: {command}\n"
            );
        }
        text
    }

    /// The container file: what a pod needs is ssh, an MPI library with the standard ABI, `rankine` and the program.
    pub fn container(&self) -> String {
        format!(
            "# docker build -f Containerfile -t {image} .   with `rankine` and {program:?} in the folder\n\
             FROM debian:13-slim\n\
             RUN apt-get update \\\n\
             \x20&& apt-get install -y --no-install-recommends openssh-server openssh-client python3-venv \\\n\
             \x20&& rm -rf /var/lib/apt/lists/* && mkdir -p /run/sshd \\\n\
             \x20&& printf 'StrictHostKeyChecking no\\nUserKnownHostsFile /dev/null\\nLogLevel ERROR\\n' > /etc/ssh/ssh_config.d/mpi.conf \\\n\
             \x20&& echo 'StrictModes no' > /etc/ssh/sshd_config.d/mpi.conf\n\
             RUN python3 -m venv /opt/mpi && /opt/mpi/bin/pip install --no-cache-dir mpich\n\
             ENV PATH=/opt/mpi/bin:/usr/local/bin:/usr/bin:/bin VIRTUAL_ENV=/opt/mpi\n\
             COPY rankine /usr/local/bin/rankine\n\
             COPY {copy}\n",
            image = self.image,
            program = self.program,
            copy = json!([self.program, format!("{FOLDER}/")]),
        )
    }

    /// Where the two are written to.
    pub fn write(&self, folder: &Path) -> std::io::Result<()> {
        std::fs::create_dir_all(folder)?;
        let [job, container] = FILES;
        std::fs::write(folder.join(job), self.job())?;
        std::fs::write(folder.join(container), self.container())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_in_pods() {
        let (options, arguments) = (["--label".to_string()], ["--name".to_string(), "a \"b\": c".into()]);
        let manifest = Manifest {
            name: "heat",
            image: "heat:1",
            ranks: 7,
            slots: 2,
            program: "heat.wasm",
            options: &options,
            arguments: &arguments,
        };
        let wanted = [
            "apiVersion: kubeflow.org/v2beta1\nkind: MPIJob\nmetadata:\n  name: \"heat\"\nspec:\n  slotsPerWorker: 2\n",
            "  mpiImplementation: MPICH\n",
            "    Launcher:\n      replicas: 1\n",
            "    Worker:\n      replicas: 4\n",
            "            - name: launcher\n              image: \"heat:1\"\n",
            "command: [\"mpiexec\",\"-n\",\"7\",\"rankine\",\"run\",\"--label\",\"/job/heat.wasm\",\"--name\",\"a \\\"b\\\": c\"]\n",
        ];
        let job = manifest.job();
        for part in wanted {
            assert!(job.contains(part), "{part}\n{job}");
        }
        let container = manifest.container();
        assert!(container.ends_with("COPY [\"heat.wasm\",\"/job/\"]\n"), "{container}");
        assert!(container.lines().all(|line| !line.starts_with(' ') || line.starts_with(" &&")), "{container}");
    }

    #[test]
    fn names_that_kubernetes_takes() {
        assert!(is_name("heat-2d") && is_image("registry/heat:1.0"));
        for name in ["", "-a", "a-", "A", "a_b", "a.b", &"a".repeat(51)] {
            assert!(!is_name(name), "{name}");
        }
        assert!(!is_image("") && !is_image("a b") && !is_image("-x") && !is_image("a\nb"));
    }
}
