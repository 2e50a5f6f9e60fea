//! An ideal gas without friction, and the flux of what it conserves.

pub const GAMMA: f64 = 1.4;

/// Per volume: mass, axial momentum, radial momentum, energy.
pub type State = [f64; 4];

/// A face between two cells: its normal, axial and radial, as long as the face is large.
pub type Face = [f64; 2];

pub fn pressure(u: &State) -> f64 {
    (GAMMA - 1.0) * (u[3] - 0.5 * (u[1] * u[1] + u[2] * u[2]) / u[0])
}

pub fn sound(u: &State) -> f64 {
    (GAMMA * pressure(u) / u[0]).sqrt()
}

/// The axial velocity in units of the velocity of sound.
pub fn mach(u: &State) -> f64 {
    u[1] / u[0] / sound(u)
}

/// The gas at rest in the reservoir has the pressure and density 1: what it has become at this pressure, flowing axially.
pub fn from_reservoir(pressure: f64) -> State {
    let density = pressure.powf(1.0 / GAMMA);
    let enthalpy = GAMMA / (GAMMA - 1.0);
    let speed = (2.0 * enthalpy * (1.0 - pressure / density)).max(0.0).sqrt();
    [density, density * speed, 0.0, pressure / (GAMMA - 1.0) + 0.5 * density * speed * speed]
}

/// The same gas at another pressure.
pub fn at_pressure(u: &State, wanted: f64) -> State {
    [u[0], u[1], u[2], wanted / (GAMMA - 1.0) + 0.5 * (u[1] * u[1] + u[2] * u[2]) / u[0]]
}

fn normal_speed(u: &State, face: Face) -> f64 {
    (u[1] * face[0] + u[2] * face[1]) / u[0]
}

/// How fast anything can cross a face, times its size.
pub fn fastest(u: &State, face: Face) -> f64 {
    normal_speed(u, face).abs() + sound(u) * (face[0] * face[0] + face[1] * face[1]).sqrt()
}

fn through(u: &State, face: Face) -> State {
    let (speed, pressure) = (normal_speed(u, face), pressure(u));
    [u[0] * speed, u[1] * speed + pressure * face[0], u[2] * speed + pressure * face[1], (u[3] + pressure) * speed]
}

/// What flows through a face from `a` to `b`: the mean, with as much diffusion as keeps shocks from ringing (Rusanov).
pub fn flux(a: &State, b: &State, face: Face) -> State {
    let (from, to, most) = (through(a, face), through(b, face), fastest(a, face).max(fastest(b, face)));
    std::array::from_fn(|n| 0.5 * (from[n] + to[n] - most * (b[n] - a[n])))
}

/// What a wall does: it pushes.
pub fn wall(u: &State, face: Face) -> State {
    let pressure = pressure(u);
    [0.0, pressure * face[0], pressure * face[1], 0.0]
}
