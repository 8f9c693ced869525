import type { Static } from 'typebox';
import {
  apiVersionOf,
  type KubeObject,
  type ObjectMeta,
  type ObjectOf,
  type ResourceDefinition,
} from '../resource.js';
import { send, type ClientOptions, type Request, type RequestOptions } from './transport.js';
import { eventsOf, type WatchEvent } from './watch.js';
import { parseExact } from '../exactjson.js';

/** An object to be sent: `kind` and `apiVersion` are those of the kind. */
export type Draft<D extends ResourceDefinition> = {
  metadata: ObjectMeta;
  kind?: D['kind'];
  apiVersion?: string;
} & Static<D['schema']>;

export interface ListMeta {
  readonly resourceVersion: string;
  /** More follow: give it to the next list. */
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

export interface ListOf<T> {
  readonly metadata: ListMeta;
  readonly items: readonly T[];
}

export interface Selection {
  /** `team=a,stage!=test` */
  readonly labelSelector?: string;
  /** `metadata.name=x` */
  readonly fieldSelector?: string;
}

export interface ListOptions extends Selection, RequestOptions {
  /** At most so many in one answer. */
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
}

export interface WatchOptions extends Selection, RequestOptions {
  /** Changes since then; without it, what is there comes first, as `ADDED`. */
  readonly resourceVersion?: string;
  readonly allowWatchBookmarks?: boolean;
  readonly timeoutSeconds?: number;
}

export interface WriteOptions extends RequestOptions {
  /** Nothing is stored; the answer is as if. */
  readonly dryRun?: boolean;
  /** Who the fields belong to afterwards. */
  readonly fieldManager?: string;
}

export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** Takes fields from other managers, instead of a conflict. */
  readonly force?: boolean;
}

export interface DeleteOptions extends RequestOptions {
  readonly dryRun?: boolean;
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  /** It is deleted only if it is this one. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** How a patch is meant. */
const PATCHES = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
} as const;

/** The API of one server, as one user. */
export class Client {
  constructor(private readonly options: ClientOptions) {}

  /** The objects of a kind: in one namespace, or, without it, in all, and of kinds without namespaces. */
  resource<D extends ResourceDefinition>(definition: D, namespace?: string): Resource<D> {
    return new Resource(this, definition, namespace);
  }

  /** Any request that has a JSON answer. */
  async request<T>(request: Request): Promise<T> {
    const answer = await send(this.options, request);
    const parsed: T = parseExact(await answer.text());
    return parsed;
  }

  /** Any watch. */
  async *watch<T>(request: Omit<Request, 'method'>): AsyncGenerator<WatchEvent<T>, void> {
    const query = { ...request.query, watch: true };
    const answer = await send(this.options, { ...request, method: 'GET', query });
    if (answer.body !== null) yield* eventsOf<T>(answer.body);
  }
}

/** The objects of one kind. Methods throw ApiError where the server refuses. */
export class Resource<D extends ResourceDefinition> {
  constructor(
    private readonly client: Client,
    readonly definition: D,
    readonly namespace?: string,
  ) {}

  list(options: ListOptions = {}): Promise<ListOf<ObjectOf<D>>> {
    const { signal, ...query } = options;
    return this.client.request({ method: 'GET', path: this.path(), query: { ...query }, signal });
  }

  /** Every object, listed in pages of `limit` (500). What expires between two pages throws, with the reason `Expired`. */
  async *listAll(options: Omit<ListOptions, 'continue'> = {}): AsyncGenerator<ObjectOf<D>, void> {
    let next: string | undefined;
    do {
      const { items, metadata } = await this.list({ limit: 500, ...options, continue: next });
      yield* items;
      next = metadata.continue;
    } while (next !== undefined && next !== '');
  }

  /** Events until the server, or `signal`, ends it. */
  watch(options: WatchOptions = {}): AsyncGenerator<WatchEvent<ObjectOf<D>>, void> {
    const { signal, ...query } = options;
    return this.client.watch({ path: this.path(), query: { ...query }, signal });
  }

  get(name: string, { signal }: RequestOptions = {}): Promise<ObjectOf<D>> {
    return this.client.request({ method: 'GET', path: this.path(name), signal });
  }

  create(object: Draft<D>, options: WriteOptions = {}): Promise<ObjectOf<D>> {
    return this.write('POST', this.path(), this.whole(object), options);
  }

  /** Replaces an object that was read: a conflict where it changed since. */
  update(object: ObjectOf<D> & KubeObject, options: WriteOptions = {}): Promise<ObjectOf<D>> {
    return this.write('PUT', this.path(nameOf(object.metadata)), object, options);
  }

  /** A JSON Merge Patch (RFC 7386), or a JSON Patch (RFC 6902) where it is an array. */
  patch(name: string, patch: object, options: WriteOptions = {}): Promise<ObjectOf<D>> {
    const contentType = Array.isArray(patch) ? PATCHES.json : PATCHES.merge;
    return this.write('PATCH', this.path(name), patch, options, contentType);
  }

  /** Server-side apply: the fields that are given become those of `fieldManager`. */
  apply(object: Draft<D>, options: ApplyOptions): Promise<ObjectOf<D>> {
    const path = this.path(nameOf(object.metadata));
    return this.write('PATCH', path, this.whole(object), options, 'application/apply-patch+yaml');
  }

  /** Answers with the object as it was, or as it is while finalizers hold it; with a Status of some kinds. */
  delete(name: string, options: DeleteOptions = {}): Promise<KubeObject> {
    const { signal, dryRun, ...rest } = options;
    const body = {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      ...rest,
      ...(dryRun === true && { dryRun: ['All'] }),
    };
    return this.client.request({ method: 'DELETE', path: this.path(name), body, signal });
  }

  /** What is read below an object: `status`. */
  getSubresource<T = ObjectOf<D>>(
    name: string,
    subresource: string,
    options: RequestOptions = {},
  ): Promise<T> {
    return this.client.request({ method: 'GET', path: this.path(name, subresource), signal: options.signal });
  }

  /** What is asked for below an object: `kubeconfig` of a VirtualClusterInstance. */
  createSubresource<T>(
    name: string,
    subresource: string,
    body: object,
    options: WriteOptions = {},
  ): Promise<T> {
    return this.write('POST', this.path(name, subresource), body, options);
  }

  private write<T>(
    method: string,
    path: string,
    body: object,
    options: WriteOptions,
    contentType?: string,
  ): Promise<T> {
    const { signal, dryRun, ...rest } = options;
    const query = { ...rest, ...(dryRun === true && { dryRun: 'All' }) };
    return this.client.request({ method, path, query, body, contentType, signal });
  }

  private whole(object: Draft<D>): object {
    const { kind } = this.definition;
    return { ...object, kind, apiVersion: apiVersionOf(this.definition) };
  }

  private path(...steps: string[]): string {
    return [collectionPathOf(this.definition, this.namespace), ...steps.map(encodeURIComponent)].join('/');
  }
}

/** `/apis/management.svc.example/v1/namespaces/default/sharedsecrets` */
export function collectionPathOf(definition: ResourceDefinition, namespace?: string): string {
  const within = definition.namespaced && namespace !== undefined ? ['namespaces', namespace] : [];
  const root = `${definition.group === '' ? '/api' : '/apis'}/${apiVersionOf(definition)}`;
  return [root, ...[...within, definition.plural].map(encodeURIComponent)].join('/');
}

function nameOf({ name }: ObjectMeta): string {
  if (name === undefined || name === '') throw new TypeError('the object has no metadata.name');
  return name;
}
