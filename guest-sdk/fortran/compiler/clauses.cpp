// COMMON blocks in the clauses COPYIN and COPYPRIVATE of OpenMP.
//
// Flang copies the members of the first block that a clause names, and then forgets what the clause names after it. So each
// block gets a clause of its own before flang lowers the program: the linker puts a function of ours there (--wrap).

#include "flang/Lower/Bridge.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"

using namespace Fortran;
using parser::OmpClause;
using parser::OmpObject;

namespace {

/// Moves every COMMON block in such a clause to one of its own, behind it.
struct Splitter {
  template <typename T> bool Pre(T &) { return true; }
  template <typename T> void Post(T &) {}

  void Post(parser::OmpClauseList &clauses) {
    for (auto clause = clauses.v.begin(); clause != clauses.v.end(); ++clause) {
      if (auto *copied = std::get_if<OmpClause::Copyin>(&clause->u))
        split<OmpClause::Copyin>(clauses.v, clause, copied->v.v);
      else if (auto *copied = std::get_if<OmpClause::Copyprivate>(&clause->u))
        split<OmpClause::Copyprivate>(clauses.v, clause, copied->v.v);
    }
  }

private:
  template <typename Clause>
  static void split(std::list<OmpClause> &clauses, std::list<OmpClause>::iterator clause, std::list<OmpObject> &objects) {
    for (auto object = objects.begin(); object != objects.end();) {
      auto next = std::next(object);
      if (std::holds_alternative<parser::Name>(object->u) && objects.size() > 1) {
        std::list<OmpObject> alone;
        alone.splice(alone.end(), objects, object);
        OmpClause own{Clause{parser::OmpObjectList{std::move(alone)}}};
        own.source = clause->source;
        clauses.insert(std::next(clause), std::move(own));
      }
      object = next;
    }
  }
};

} // namespace

// LoweringBridge::lower, as the linker knows it: `host/toolchain/src/build/flang.rs` has the same name.
#define LOWER                                                                                                          \
  "_ZN7Fortran5lower14LoweringBridge5lowerERKNS_6parser7ProgramERKNS_9semantics16SemanticsContextE"

void original(lower::LoweringBridge *, const parser::Program &, const semantics::SemanticsContext &) asm("__real_" LOWER);
void withClauses(lower::LoweringBridge *, const parser::Program &,
                 const semantics::SemanticsContext &) asm("__wrap_" LOWER);

void withClauses(lower::LoweringBridge *bridge, const parser::Program &program,
                 const semantics::SemanticsContext &context) {
  Splitter splitter;
  parser::Walk(const_cast<parser::Program &>(program), splitter);
  original(bridge, program, context);
}
