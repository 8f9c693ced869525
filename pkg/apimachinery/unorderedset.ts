/** A set of what comes and goes with every request. */

/** A member of at most one set at a time. */
export interface Member {
  /** For the set alone. */
  place: number;
}

/** Where an object is in no set. */
export const NOWHERE = -1;

/**
 * Has no order, and makes no garbage. A `Set` outgrows its table every few changes, and V8 links the old table, with what was
 * in it, to the new one: from the first table that a major collection moved to the old generation on, every minor collection
 * keeps all that ever was in such a set, until the next major one.
 */
export class UnorderedSet<T extends Member> {
  private readonly members: T[] = [];

  get size(): number {
    return this.members.length;
  }

  add(member: T): void {
    member.place = this.members.push(member) - 1;
  }

  /** Answers whether it was there. */
  delete(member: T): boolean {
    const { members } = this;
    const { place } = member;
    if (members[place] !== member) return false;
    const last = members.pop()!;
    if (last !== member) {
      members[place] = last;
      last.place = place;
    }
    member.place = NOWHERE;
    return true;
  }

  /** All that are members from the beginning to the end of the iteration; others, some of them twice, may be told too. */
  *[Symbol.iterator](): Generator<T> {
    // Backwards, as the last member takes the place of one that goes: it has been told before.
    for (let place = this.members.length - 1; place >= 0; place--) {
      const member = this.members[place];
      if (member !== undefined) yield member;
    }
  }
}
