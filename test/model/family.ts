/** What is to become of objects, their owners and their finalizers, once everything has settled. */

export type Policy = 'Background' | 'Foreground' | 'Orphan';

export interface Reference {
  readonly name: string;
  readonly uid: string;
  blocks: boolean;
}

interface Member {
  readonly name: string;
  readonly uid: string;
  owners: Reference[];
  finalizers: Set<string>;
  deleting: boolean;
}

export const HOLD = 'example.com/hold';
const FOREGROUND = 'foregroundDeletion';
const ORPHAN = 'orphan';

/** Objects of one namespace. Each change settles before the next. */
export class Family {
  private readonly members = new Map<string, Member>();

  has(name: string): boolean {
    return this.members.has(name);
  }

  isDeleting(name: string): boolean {
    return this.members.get(name)?.deleting === true;
  }

  uidOf(name: string): string | undefined {
    return this.members.get(name)?.uid;
  }

  finalizersOf(name: string): string[] {
    return [...(this.members.get(name)?.finalizers ?? [])];
  }

  create(name: string, uid: string, owners: Reference[], held: boolean): void {
    this.members.set(name, { name, uid, owners, finalizers: new Set(held ? [HOLD] : []), deleting: false });
    this.settle();
  }

  adopt(name: string, owner: Reference): void {
    (this.members.get(name) as Member).owners = [owner];
    this.settle();
  }

  delete(name: string, policy: Policy): void {
    this.mark(this.members.get(name) as Member, policy);
    this.settle();
  }

  release(name: string): void {
    const member = this.members.get(name) as Member;
    member.finalizers.delete(HOLD);
    this.removeIfFree(member);
    this.settle();
  }

  /** A line for each object, sorted: what of it does not depend on who was quicker. */
  describe(): string[] {
    return [...this.members.values()].map(describe).sort();
  }

  private mark(member: Member, policy: Policy): void {
    member.finalizers.delete(FOREGROUND);
    member.finalizers.delete(ORPHAN);
    if (policy === 'Foreground') member.finalizers.add(FOREGROUND);
    if (policy === 'Orphan') member.finalizers.add(ORPHAN);
    member.deleting = true;
    this.removeIfFree(member);
  }

  private removeIfFree(member: Member): void {
    if (member.deleting && member.finalizers.size === 0) this.members.delete(member.name);
  }

  private settle(): void {
    while (this.collectOne() || this.finishOne());
  }

  private live(uid: string): Member | undefined {
    return [...this.members.values()].find((member) => member.uid === uid);
  }

  private dependentsOf({ uid }: Member): Member[] {
    return [...this.members.values()].filter(
      (member) => member.uid !== uid && member.owners.some((owner) => owner.uid === uid),
    );
  }

  /** Somebody without owners that are there to stay goes, or loses those that are not. */
  private collectOne(): boolean {
    for (const member of this.members.values()) {
      if (member.deleting || member.owners.length === 0) continue;
      const isSolid = ({ uid }: Reference): boolean => {
        const owner = this.live(uid);
        return owner !== undefined && !isWaiting(owner);
      };
      const solid = member.owners.filter(isSolid);
      if (solid.length === member.owners.length) continue;
      if (solid.length > 0) member.owners = solid;
      else this.collect(member);
      return true;
    }
    return false;
  }

  private collect(member: Member): void {
    const waits = member.owners.some(({ uid }) => this.live(uid) !== undefined);
    const dependents = this.dependentsOf(member);
    const inForeground = waits && dependents.length > 0;
    if (inForeground && dependents.some(isWaiting)) for (const owner of member.owners) owner.blocks = false;
    this.mark(member, inForeground ? 'Foreground' : 'Background');
  }

  private finishOne(): boolean {
    for (const member of this.members.values()) {
      if (!member.deleting) continue;
      if (member.finalizers.delete(ORPHAN)) {
        for (const dependent of this.dependentsOf(member))
          dependent.owners = dependent.owners.filter(({ uid }) => uid !== member.uid);
        this.removeIfFree(member);
        return true;
      }
      if (!isWaiting(member)) continue;
      const blocking = this.dependentsOf(member).filter(({ owners }) =>
        owners.some(({ uid, blocks }) => uid === member.uid && blocks),
      );
      const stuck = blocking.filter((dependent) => this.waitsFor(dependent, member));
      for (const { owners } of stuck) for (const owner of owners) owner.blocks = false;
      if (stuck.length === 0 && blocking.length > 0) continue;
      if (stuck.length === 0) member.finalizers.delete(FOREGROUND);
      this.removeIfFree(member);
      return true;
    }
    return false;
  }

  /** Whether `from` waits, through dependents that wait too, for `to`. */
  private waitsFor(from: Member, to: Member): boolean {
    const seen = new Set([from]);
    for (const one of seen) {
      if (!isWaiting(one)) continue;
      if (one === to) return true;
      for (const next of this.dependentsOf(one)) seen.add(next);
    }
    return false;
  }
}

const isWaiting = ({ deleting, finalizers }: Member): boolean => deleting && finalizers.has(FOREGROUND);

/** Of an object that is being deleted, which references it still has depends on who was quicker. */
export function describe(member: {
  readonly name: string;
  readonly owners: readonly { readonly name: string }[];
  readonly finalizers: Iterable<string>;
  readonly deleting: boolean;
}): string {
  const owners = member.deleting ? 'deleted' : member.owners.map(({ name }) => name).sort();
  return JSON.stringify([member.name, owners, [...member.finalizers].sort()]);
}
