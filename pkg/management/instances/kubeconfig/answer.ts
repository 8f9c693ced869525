import { clusterScoped } from '../../../../api/resource.js';
import { X509Certificate } from 'node:crypto';
import { Cluster } from '../../../../api/management.svc.example/v1/cluster.js';
import {
  VirtualClusterInstance as INSTANCE,
  type VirtualClusterInstance,
} from '../../../../api/management.svc.example/v1/virtualclusterinstance.js';
import {
  VirtualClusterInstanceKubeConfig as DEFINITION,
  type VirtualClusterInstanceKubeConfig,
} from '../../../../api/management.svc.example/v1/virtualclusterinstancekubeconfig.js';
import { encodeYaml } from '../../../apimachinery/encoding/yaml/yaml.js';
import {
  badRequest,
  fieldInvalid,
  forbidden,
  invalid,
  notFound,
  quote,
} from '../../../apimachinery/errors.js';
import { projectOfNamespace } from '../../projects/names.js';
import type { Connection } from '../../clusters/client/interface.js';
import { timestamp } from '../../../registry/object/metadata.js';
import type { ManagementAnswerContext, RecordedBinding } from '../../services.js';
import { ingressUrl } from './accesspoint.js';
import { placeOf, type BindingRecord } from './bindingrecord.js';
import { issueInside, type ClientCertificate, type UserInside } from './certificate.js';
import { connectInside } from './inside.js';
import { requestFor } from '../../../apimachinery/attributes.js';

const LEAST_SECONDS = 600;
const MAX_SECONDS = 2 ** 31 - 1;
/** Of a certificate, unless less is requested; a request for more gets this. */
const LONGEST_SECONDS = 86_400;
/** The longest time between the request and the signature of a certificate. */
const SIGNING_SECONDS = 60;

/**
 * Returns a kubeconfig for the ingress, with a client certificate of the caller that the virtual cluster signed. This
 * server's own certificate is used to request it, and never returned. A dry run signs and binds nothing.
 */
export async function answerKubeConfig(
  object: VirtualClusterInstanceKubeConfig,
  context: ManagementAnswerContext,
): Promise<VirtualClusterInstanceKubeConfig> {
  const { name, namespace, services, write } = context;
  const { spec = {} } = object;
  const asked = spec.certificateTTL ?? LONGEST_SECONDS;
  checkSeconds(name, asked);
  const instance = await services.objects.live(INSTANCE, { namespace, name });
  if (instance === undefined) throw notFound(INSTANCE, name);
  await checkUse(context);
  const { cluster: clusterName = '' } = instance.spec?.clusterRef ?? {};
  const cluster =
    clusterName === '' ? undefined : await services.objects.live(Cluster, clusterScoped(clusterName));
  const server = ingressUrl(
    instance,
    cluster,
    projectOfNamespace(services.projectNamespacePrefix, namespace),
  );
  const seconds = await lifetime(asked, spec.certificateTTL !== undefined, context);
  const what = `virtual cluster "${name}"`;
  const place = placeOf(instance);
  if (place === undefined) throw badRequest(`${what} is not on a cluster yet: spec.clusterRef names none`);
  const inside = await connectInside({ what, place, server }, services.clusters);
  try {
    object.metadata = { name, namespace, creationTimestamp: timestamp() };
    if (write.dryRun) return object;
    const written = Date.now();
    const binding = await recordBinding(instance, { place, server, written }, context);
    const issued = await issueInside(what, inside, binding.inside, seconds);
    await binding.issued(written + (seconds + SIGNING_SECONDS) * 1000);
    // If the right ended meanwhile, nothing is returned and a controller removes the binding.
    await checkUse(context);
    annotate(context, binding.inside, issued);
    object.status = { kubeConfig: kubeconfig(name, inside, issued) };
    return object;
  } finally {
    inside.close();
  }
}

function checkSeconds(name: string, seconds: number): void {
  if (seconds >= LEAST_SECONDS && seconds <= MAX_SECONDS) return;
  const text = `must be between ${LEAST_SECONDS} and ${MAX_SECONDS}, inclusive`;
  throw invalid(DEFINITION, name, [fieldInvalid('spec.certificateTTL', seconds, text)]);
}

/** The requested lifetime, shortened to the longest and to the caller's credential. Throws StatusError 403. */
async function lifetime(
  asked: number,
  isExplicit: boolean,
  { user, name, write, services: { lifetimes } }: ManagementAnswerContext,
): Promise<number> {
  const end = await lifetimes.endFor(user);
  const rest = end === undefined ? Infinity : Math.floor((end - Date.now()) / 1000);
  if (rest < LEAST_SECONDS)
    throw forbidden(
      INSTANCE,
      name,
      `the credential in use ends in less than ${LEAST_SECONDS} seconds, the minimum lifetime of a certificate`,
    );
  const seconds = Math.min(asked, LONGEST_SECONDS, rest);
  if (seconds < asked && (isExplicit || seconds === rest))
    write.warn(`spec.certificateTTL: ${asked} seconds shortened to ${seconds} seconds`);
  return seconds;
}

/** Checks the verb `use`. Throws StatusError 403. */
async function checkUse({ name, namespace, user, services }: ManagementAnswerContext): Promise<void> {
  if ((await services.authorize(user, requestFor('use', INSTANCE, { namespace, name }))).allowed) return;
  throw forbidden(
    INSTANCE,
    name,
    `User ${quote(user.name)} cannot use it in the namespace ${quote(namespace)}`,
  );
}

/** Records the binding before it is created: recorded bindings are removed when the right or the request ends. */
async function recordBinding(
  { metadata: { namespace = '', name = '', uid = '' } }: VirtualClusterInstance,
  way: Pick<BindingRecord, 'place' | 'server' | 'written'>,
  { user, services }: ManagementAnswerContext,
): Promise<RecordedBinding> {
  const madeWith = await services.lifetimes.madeWithFor(user);
  return services.recordBinding(user, {
    instance: { namespace, name, uid },
    ...way,
    ...(madeWith !== undefined && { madeWith }),
  });
}

/** Adds the certificate to the audit event. */
function annotate(
  { annotate: add }: ManagementAnswerContext,
  { name }: UserInside,
  { certificate, request }: ClientCertificate,
): void {
  const { serialNumber, validTo } = new X509Certificate(certificate);
  add('management.svc.example/certificate-user', name);
  add('management.svc.example/certificate-serial', serialNumber);
  add('management.svc.example/certificate-expires', new Date(validTo).toISOString());
  add('management.svc.example/certificate-request', request);
}

function kubeconfig(name: string, { server, authority }: Connection, issued: ClientCertificate): string {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  return encodeYaml({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name,
        cluster: {
          server,
          ...(authority !== undefined && { 'certificate-authority-data': base64(authority) }),
        },
      },
    ],
    contexts: [{ name, context: { cluster: name, user: 'vcluster' } }],
    'current-context': name,
    users: [
      {
        name: 'vcluster',
        user: {
          'client-certificate-data': base64(issued.certificate),
          'client-key-data': base64(issued.key),
        },
      },
    ],
  });
}
