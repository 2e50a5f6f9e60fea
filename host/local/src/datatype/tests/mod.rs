mod calls;
mod extremes;
mod maps;
