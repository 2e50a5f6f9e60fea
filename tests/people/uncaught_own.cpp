// An exception of a type of one's own: its name.
// ranks: 1
// exit: 134
// stderr: an exception was thrown that nothing catches: solver::Diverged
namespace solver {
struct Diverged {
    int step;
};
} // namespace solver

int main(int argc, char **)
{
    throw solver::Diverged{argc};
}
