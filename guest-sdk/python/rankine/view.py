"""What a program shows in the page of `rankine python --view`, and what is changed there.

    from rankine import view

    inflow = view.number("inflow", 0.9, 0.1, 2.0, 0.05)   # a slider
    for step in range(steps):
        view.update()                                     # all ranks: inflow.value is now what the slider says
        ...
        view.field("density", step, density, shape, start)

Arrays are those of numpy, or others that give their memory (`array.array`, memoryviews): they are shown where they lie, with their
strides. Without `--view` all of this does nothing, and controls keep their values.
"""

import _rankine_view

__all__ = ["arrows", "axis", "button", "choice", "curve", "field", "number", "on", "points", "scale", "text", "update"]


def on():
    """Whether somebody may look: the same on all ranks."""
    return _rankine_view.on()


def field(name, step, array, shape=None, start=None):
    """Shows this rank's part of a field of two or three dimensions at a step: `start` is where it begins in the whole, which has
    this `shape`. Without them the array is the whole."""
    _rankine_view.field(name, step, array, shape, start)


def arrows(name, step, x, y, z=None, values=None, shape=None, start=None):
    """The same with arrows: their parts along the axes, over a field of `values` or over their lengths."""
    _rankine_view.arrows(name, step, values, x, y, z, shape, start)


def points(name, step, places, values=None, within=None, ranks=0):
    """Shows this rank's points, a row of `places` each, with a value each for the colour. `within` has the least and the greatest
    of each coordinate; `ranks` is how many publish, 0 for all."""
    _rankine_view.points(name, step, places, values, within, ranks)


def scale(name, unit="", least=0.0, greatest=0.0):
    """The unit of a field's values, and what the ends of the colours stand for: found from the values where both are the same."""
    _rankine_view.scale(name, unit, least, greatest)


def axis(name, letter, label="", unit="", first=0.0, spacing=0.0):
    """What the axis 'x', 'y' or 'z' of a field is: element n has the coordinate first + n * spacing."""
    _rankine_view.axis(name, letter, label, unit, first, spacing)


def curve(name, x, y):
    """Adds a point to a curve."""
    _rankine_view.curve(name, x, y)


def text(name, words):
    """Shows a text in place of the one before."""
    _rankine_view.text(name, words)


class Control:
    """What the page may change; its value changes in `update` alone."""

    def __init__(self, variable):
        self._variable = variable

    @property
    def value(self):
        return self._variable[0]


def number(name, value, least, greatest, step=0.0):
    """A number from `least` to `greatest`, in steps of `step` (0: any)."""
    return Control(_rankine_view.number(name, value, least, greatest, step).cast("d"))


def choice(name, labels, value=0):
    """One of these labels, by its place."""
    return Control(_rankine_view.choice(name, tuple(labels), value).cast("i"))


def button(name):
    """A button: how often it was pressed since the last update."""
    return Control(_rankine_view.button(name).cast("i"))


def update(comm=None):
    """Collective: gives all controls the values that the page says now, the same on all ranks, and waits while it pauses."""
    if not on():
        return
    if comm is None:
        from mpi4py import MPI

        comm = MPI.COMM_WORLD
    _rankine_view.update(comm.handle)
