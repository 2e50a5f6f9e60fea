// A file that Rust opens where no folder is granted.
// ranks: 1
// stderr: looks for the file input.dat, and no folder is granted: add --dir .
fn main() {
    assert!(std::fs::File::open("input.dat").is_err());
    println!("OK");
}
