/** The entries that follow from objects of other resources (`Derivation`). */
import type { Derivation, DerivedForm, Entry, ResourceSource } from '../interface.js';
import type { Changes, StoredEvent } from '../watch/event.js';
import { DerivedEntry } from './entry.js';
import type { ResourceState } from './resourcestate.js';

/** A resource that gets entries. */
interface Target {
  readonly owns: readonly Derivation['owns'][];
  readonly shadowed: Map<string, number>;
}

const NONE: ReadonlyMap<string, number> = new Map();
const NOTHING: readonly Changes[] = [];

export class DerivedEntries {
  private readonly derivations = new Map<string, Derivation>();
  private readonly targets = new Map<string, Target>();

  /** @param stateOf the state of a resource. */
  constructor(
    sources: readonly ResourceSource[],
    private readonly stateOf: (resource: string) => ResourceState,
  ) {
    for (const { resource, derivation } of sources) {
      if (derivation === undefined) continue;
      this.derivations.set(resource, derivation);
      for (const { resource: to } of derivation.forms) {
        const { owns, shadowed } = this.targets.get(to) ?? { owns: [], shadowed: new Map<string, number>() };
        this.targets.set(to, { owns: [...owns, derivation.owns], shadowed });
      }
    }
  }

  /** Whether objects of this name are derived. */
  owns(resource: string, name: string): boolean {
    return this.targets.get(resource)?.owns.some((owns) => owns(name)) ?? false;
  }

  /** The revisions of stored records that are not served, by path. */
  shadowed(resource: string): ReadonlyMap<string, number> {
    return this.targets.get(resource)?.shadowed ?? NONE;
  }

  /** Whether a stored record is not served, as objects of its name are derived. `deleted`: it is no longer stored. */
  shadows(resource: string, path: string, revision: number, deleted: boolean): boolean {
    const target = this.targets.get(resource);
    if (target === undefined || !this.owns(resource, path.slice(path.indexOf('/') + 1))) return false;
    if (deleted) target.shadowed.delete(path);
    else target.shadowed.set(path, revision);
    return true;
  }

  /** An object of the first scan came in. */
  load(resource: string, entry: Entry): void {
    const derivation = this.derivations.get(resource);
    for (const { form, wanted } of derivation === undefined ? [] : wantedOf(derivation, entry))
      for (const one of wanted) this.stateOf(form.resource).loadEntry(one);
  }

  /** The changes that follow from that of an object. */
  apply(resource: string, { entry, deleted, revision }: StoredEvent, now: number): readonly Changes[] {
    const derivation = this.derivations.get(resource);
    if (derivation === undefined) return NOTHING;
    const within = entry.path.slice(0, entry.path.indexOf('/') + 1);
    const beginning = within + derivation.beginning(entry);
    return wantedOf(derivation, deleted ? undefined : entry).flatMap(({ form, wanted }) => {
      const events = this.stateOf(form.resource).derive(within, beginning, wanted, revision, now);
      return events.length === 0 ? [] : [{ resource: form.resource, events }];
    });
  }
}

interface Wanted {
  readonly form: DerivedForm;
  readonly wanted: readonly DerivedEntry[];
}

/** `entry`: undefined if the object is gone. */
function wantedOf({ forms, read }: Derivation, entry: Entry | undefined): readonly Wanted[] {
  const found = entry && read(entry);
  if (entry === undefined || found === undefined) return forms.map((form) => ({ form, wanted: [] }));
  const within = entry.path.slice(0, entry.path.indexOf('/') + 1);
  const paths = found.names.map((name) => within + name);
  const { content } = found;
  return forms.map((form) => ({
    form,
    wanted: paths.map((path) => new DerivedEntry(path, entry.revision, content, form)),
  }));
}
