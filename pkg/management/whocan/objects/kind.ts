import {
  MAX_WAYS_OF_OBJECT,
  SubjectObjectsReview,
} from '../../../../api/management.svc.example/v1/subjectobjectsreview.js';
import type { RightsSource } from '../../../../api/management.svc.example/v1/resourceaccessreview.js';
import { requestFor } from '../../../apimachinery/attributes.js';
import type { User } from '../../../apimachinery/user.js';
import { fieldInvalid, invalid } from '../../../apimachinery/errors.js';
import { slices } from '../../../apimachinery/eventloop/slices.js';
import { timestamp } from '../../../registry/object/metadata.js';
import type { VirtualResource } from '../../../registry/virtualresource.js';
import type { ManagementAnswerContext, ManagementServices } from '../../services.js';
import type { Way } from '../../subjectlocator.js';
import { isAllowed, readableSources, roleSources, type Sources } from '../sources.js';
import { placesFrom, tokenOf, type Place } from './places.js';
import { leadsFrom, subjectOf } from './subject.js';

/** The maximum size of the objects, in characters of their JSON. */
const MAX_CHARACTERS = 1_048_576;
/** How long an answer begins with other objects, and how long it looks for the ways to one. */
const PAGE_MS = 1_000;
const OBJECT_MS = 5_000;

type Status = NonNullable<SubjectObjectsReview['status']>;
type Found = NonNullable<Status['objects']>[number];

/** Tells what a user or a team can do something with, from what the caller may read. */
export const kind: VirtualResource<typeof SubjectObjectsReview, ManagementServices> = {
  definition: SubjectObjectsReview,
  async answer(review, context) {
    const { verb = 'get', limit = 1, continue: token = '' } = review.spec;
    const subject = await subjectOf(review.spec, context);
    const places = placesFrom(context, token);
    if (places === undefined)
      throw invalid(SubjectObjectsReview, '', [
        fieldInvalid('spec.continue', token, 'take it from status.continue of the answer before'),
      ]);
    const search = new Search(context, subject, verb);
    const [objects, end]: [Found[], number] = [[], performance.now() + PAGE_MS];
    let [left, next] = [MAX_CHARACTERS, ''];
    const pause = slices();
    for (const place of places) {
      if (objects.length === limit || left < 0 || performance.now() > end) {
        next = tokenOf(place);
        break;
      }
      const found = await search.objectAt(place);
      if (found !== undefined) objects.push(found);
      left -= found === undefined ? 0 : JSON.stringify(found).length;
      await pause();
    }
    review.metadata = { creationTimestamp: timestamp() };
    review.status = { objects, ...(next !== '' && { continue: next }), ...search.limits() };
    return review;
  },
};

/** Looks at one object after another, and remembers what the caller may read in each namespace. */
class Search {
  private readonly sources = new Map<string, Sources>();
  private readonly unread = new Set<RightsSource>();

  constructor(
    private readonly context: ManagementAnswerContext,
    private readonly subject: User,
    private readonly verb: string,
  ) {}

  /** What the answers lack. */
  limits(): Pick<Status, 'unread' | 'incomplete'> {
    return {
      ...(this.unread.size > 0 && { unread: [...this.unread] }),
      ...(!this.context.services.subjects.decidesAlone && { incomplete: true }),
    };
  }

  /** Undefined: no way leads there, or the caller may not get it. */
  async objectAt({ definition, key }: Place): Promise<Found | undefined> {
    const { services } = this.context;
    const asked = requestFor(this.verb, definition, key);
    const { readable, unread } = await this.sourcesIn(key.namespace);
    // The decision alone would tell what is in roles that the caller may not read.
    const mayAsk = unread.size === 0 && services.subjects.decidesAlone;
    if (mayAsk && !(await services.authorize(this.subject, asked)).allowed) return undefined;
    const ways: Way[] = [];
    const pause = slices();
    for await (const way of services.subjects.allowedSubjects(
      asked,
      readable,
      performance.now() + OBJECT_MS,
    )) {
      if (leadsFrom(this.subject, way)) ways.push(way);
      if (ways.length > MAX_WAYS_OF_OBJECT) break;
      await pause();
    }
    if (ways.length === 0 || !(await isAllowed(this.context, requestFor('get', definition, key))))
      return undefined;
    return {
      resource: definition.plural,
      ...(key.namespace !== '' && { namespace: key.namespace }),
      name: key.name,
      ways: ways.slice(0, MAX_WAYS_OF_OBJECT),
      ...(ways.length > MAX_WAYS_OF_OBJECT && { truncated: true }),
    };
  }

  /** The object is read with its way. */
  private async sourcesIn(namespace: string): Promise<Sources> {
    const known = this.sources.get(namespace);
    if (known !== undefined) return known;
    const found = await readableSources(this.context, roleSources(namespace));
    found.readable.add('object');
    for (const source of found.unread) this.unread.add(source);
    this.sources.set(namespace, found);
    return found;
  }
}
