/** POST of kinds that are answered and not kept. */
import { sourceAddresses } from '../filters/sourceaddresses.js';
import { apiVersionOf, type KubeObject } from '../../../api/resource.js';
import { encodeObject } from '../../apimachinery/encoding/canonical.js';
import { invalid, methodNotAllowed, unknownResource } from '../../apimachinery/errors.js';
import { parseQuery } from '../../apimachinery/options/query.js';
import {
  CREATE_OPTIONS_KIND,
  parseCreateOptions,
  validateCreateOptions,
} from '../../apimachinery/options/write.js';
import { settleNamespace } from '../../registry/object/metadata.js';
import type { VirtualResourceStore } from '../../registry/virtualresource.js';
import { trackCreate } from '../../registry/object/fieldmanager.js';
import { inTime } from '../filters/deadline.js';
import type { KindRequest } from '../requestcontext.js';
import type { DispatchDependencies } from '../dependencies.js';
import { representationOf, writeObject } from '../responsewriters/representation.js';
import { permittedBody } from './permittedbody.js';
import { commonHeaders, sendBytes } from '../responsewriters/send.js';
import { contextOf, managerOf, objectFrom, refuse } from './write.js';

type VirtualResourceRequest = KindRequest & { readonly store: VirtualResourceStore };

/** Throws StatusError: 404 for an impossible path, 405, the errors of a create, and those of the kind. */
export async function serveRequest(
  call: VirtualResourceRequest,
  { stores, services }: Pick<DispatchDependencies, 'stores' | 'services'>,
): Promise<void> {
  const { info, store, user } = call;
  checkPath(call);
  const query = parseQuery(info.query);
  const representation = representationOf(call, query, 'answer');
  const reads = info.verb === 'get';
  const options = parseCreateOptions(reads ? new URLSearchParams() : query);
  refuse(CREATE_OPTIONS_KIND, validateCreateOptions(options));
  const object = reads
    ? emptyObject(store)
    : await objectFrom(call, stores.definitions, await permittedBody(call), options);
  settleNamespace(store.definition, object.metadata, info.namespace);
  object.status = {};
  checkSchema(store, object);
  if (store.below === undefined) await trackCreate(store, object, managerOf(call, options));
  const annotate = (name: string, value: string): void => call.audit?.annotated(name, value);
  const { namespace, name } = info;
  const [sourceAddress = ''] = sourceAddresses(call.exchange.request, user);
  const write = contextOf(call, options);
  const context = { user, namespace, name, write, sourceAddress, services, annotate };
  const answer = await inTime(call, store.answer(object, context));
  const bytes = await writeObject(encodeObject(answer), representation);
  await sendBytes(call, reads ? 200 : 201, bytes, commonHeaders(call, representation.contentType));
}

/** Kinds of Kubernetes itself are checked as they are decoded. */
function checkSchema({ definition, schema }: VirtualResourceStore, object: KubeObject): void {
  const misfits = definition.builtIn ? [] : schema.check(object);
  if (misfits.length > 0) throw invalid(definition, object.metadata.name ?? '', misfits);
}

const emptyObject = ({ definition }: VirtualResourceStore): KubeObject => ({
  kind: definition.kind,
  apiVersion: apiVersionOf(definition),
  metadata: {},
});

function checkPath({ info, store: { definition, below, readBy, readOnly } }: VirtualResourceRequest): void {
  if (definition.namespaced !== (info.namespace !== '')) throw unknownResource();
  if ((info.name !== '') !== (below !== undefined)) throw unknownResource();
  if (info.verb === 'create' && readOnly === true) throw methodNotAllowed();
  if (info.verb !== 'create' && (info.verb !== 'get' || readBy === undefined)) throw methodNotAllowed();
}
