/** A set for members that are added and deleted with every request. */

/** A member of at most one set at a time. */
export interface Member {
  /** Used by the set only. */
  place: number;
}

/** The place of an object that is in no set. */
export const NOWHERE = -1;

/**
 * A set without order that creates no garbage. A `Set` replaces its table every few changes, and V8 links the old
 * table with its members to the new one: once a major collection has moved a table to the old generation, every minor
 * collection retains all members that such a set ever had, until the next major one.
 */
export class UnorderedSet<T extends Member> {
  private readonly members: T[] = [];

  get size(): number {
    return this.members.length;
  }

  add(member: T): void {
    member.place = this.members.push(member) - 1;
  }

  /** Returns whether it was a member. */
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

  /** Yields all objects that are members throughout the iteration; others may be missing or repeated. */
  *[Symbol.iterator](): Generator<T> {
    // Backwards, as the last member, which was already yielded, replaces a deleted one.
    for (let place = this.members.length - 1; place >= 0; place--) {
      const member = this.members[place];
      if (member !== undefined) yield member;
    }
  }
}
