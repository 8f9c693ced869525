import { X509Certificate } from 'node:crypto';
import { Cluster } from '../../../../api/management.svc.example/v1/cluster.js';
import type { VirtualClusterInstance } from '../../../../api/management.svc.example/v1/virtualclusterinstance.js';
import { VirtualClusterInstance as INSTANCE } from '../../../../api/management.svc.example/v1/virtualclusterinstance.js';
import type { VirtualClusterInstanceKubeConfig } from '../../../../api/management.svc.example/v1/virtualclusterinstancekubeconfig.js';
import { VirtualClusterInstanceKubeConfig as DEFINITION } from '../../../../api/management.svc.example/v1/virtualclusterinstancekubeconfig.js';
import { encodeYaml } from '../../../apimachinery/encoding/yaml.js';
import type { StatusError } from '../../../apimachinery/errors.js';
import {
  badRequest,
  fieldInvalid,
  forbidden,
  invalid,
  notFound,
  quote,
} from '../../../apimachinery/errors.js';
import { projectOfNamespace } from '../../../apimachinery/projects/names.js';
import type { Connection } from '../../../clusterclient/interface.js';
import { timestamp } from '../../metadata.js';
import type { Answer, RequestContext } from '../../requestkind.js';
import { readVirtualClusterSecret, virtualClusterSecretName } from '../virtualclustersecret.js';
import { ingressUrl } from './accesspoint.js';
import type { ClientCertificate } from './certificate.js';
import { issueInside, userInside } from './certificate.js';

const DEFAULT_SECONDS = 86_400;
const LEAST_SECONDS = 600;
const MOST_SECONDS = 2 ** 31 - 1;

/**
 * A kubeconfig that leads through the ingress, with a certificate of the caller that the virtual cluster signed. The
 * certificate that this server has of it is used for that, and never handed out.
 */
export const answerKubeConfig: Answer = async (object, context) => {
  const { name, namespace, user, services } = context;
  const { spec = {} } = object as VirtualClusterInstanceKubeConfig;
  const asked = spec.certificateTTL ?? DEFAULT_SECONDS;
  checkSeconds(name, asked);
  const instance = (await services.objects.live(INSTANCE, namespace, name)) as
    VirtualClusterInstance | undefined;
  if (instance === undefined) throw notFound(INSTANCE, name);
  await checkUse(context);
  const { cluster: clusterName = '' } = instance.spec?.clusterRef ?? {};
  const cluster = clusterName === '' ? undefined : await services.objects.live(Cluster, '', clusterName);
  const server = ingressUrl(
    instance,
    cluster,
    projectOfNamespace(services.projectNamespacePrefix, namespace),
  );
  const seconds = await lifetime(asked, spec.certificateTTL !== undefined, context);
  const what = `virtual cluster "${name}"`;
  const inside = await connectInside(what, instance, server, context);
  try {
    const issued = await issueInside(what, inside, userInside(user.name), seconds);
    annotate(context, issued);
    object.metadata = { name, namespace, creationTimestamp: timestamp() };
    object.status = { kubeConfig: kubeconfig(name, inside, issued) };
    return object;
  } finally {
    inside.close();
  }
};

function checkSeconds(name: string, seconds: number): void {
  if (seconds >= LEAST_SECONDS && seconds <= MOST_SECONDS) return;
  const text = `must be between ${LEAST_SECONDS} and ${MOST_SECONDS}, inclusive`;
  throw invalid(DEFINITION, name, [fieldInvalid('spec.certificateTTL', seconds, text)]);
}

/** What is asked for, shortened to what the server and the credential of the caller allow. Throws StatusError 403. */
async function lifetime(
  asked: number,
  isExplicit: boolean,
  { user, name, write, services: { lifetimes } }: RequestContext,
): Promise<number> {
  const end = await lifetimes.endFor(user);
  const rest = end === undefined ? Infinity : Math.floor((end - Date.now()) / 1000);
  if (rest < LEAST_SECONDS)
    throw forbidden(
      INSTANCE,
      name,
      `the credential that is used ends in less than the ${LEAST_SECONDS} seconds that a certificate lives at least`,
    );
  const seconds = Math.min(asked, lifetimes.maxCertificateSeconds, rest);
  if (seconds < asked && (isExplicit || seconds === rest))
    write.warn(`spec.certificateTTL: ${asked} seconds shortened to ${seconds} seconds`);
  return seconds;
}

/** The verb `use` gates instances. Throws StatusError 403. */
async function checkUse({ name, namespace, user, services }: RequestContext): Promise<void> {
  const asked = {
    kind: 'resource',
    verb: 'use',
    group: INSTANCE.group,
    version: 'v1',
    resource: INSTANCE.plural,
    subresource: '',
    namespace,
    name,
  } as const;
  if ((await services.authorize(user, asked)).allowed) return;
  throw forbidden(
    INSTANCE,
    name,
    `User ${quote(user.name)} cannot use it in the namespace ${quote(namespace)}`,
  );
}

/** With the credentials that the cluster keeps of the virtual cluster, by way of `server`. Throws StatusError 400, 504. */
async function connectInside(
  what: string,
  { spec = {} }: VirtualClusterInstance,
  server: string,
  { services: { clusters } }: RequestContext,
): Promise<Connection> {
  const { cluster = '', namespace = '', virtualCluster = '' } = spec.clusterRef ?? {};
  if (cluster === '' || namespace === '' || virtualCluster === '')
    throw badRequest(`${what} is not on a cluster yet: spec.clusterRef names none`);
  const host = await clusters.connect(cluster);
  const secret = virtualClusterSecretName(virtualCluster);
  const { status, kubeconfig: found = '' } = await readVirtualClusterSecret(host, namespace, virtualCluster);
  if (status !== 200 || found === '') throw noCredentials(what, cluster, `${namespace}/${secret}`, status);
  const inside = await clusters.connectBy(what, found, server);
  if (inside.authority !== undefined) return inside;
  inside.close();
  // The ingress is named by whoever has the instance: its credentials go to nobody but the virtual cluster.
  throw badRequest(
    `${what} cannot be told from others: its kubeconfig in Secret ${namespace}/${secret} of cluster "${cluster}" has no certificate-authority-data`,
  );
}

function noCredentials(what: string, cluster: string, secret: string, status: number): StatusError {
  const why = status === 200 ? 'has no key "config"' : `is not to be had (${status})`;
  return badRequest(`${what} has no credentials: Secret ${secret} of cluster "${cluster}" ${why}`);
}

/** What the record of the request says of the certificate. */
function annotate(
  { annotate: add, user }: RequestContext,
  { certificate, request }: ClientCertificate,
): void {
  const { serialNumber, validTo } = new X509Certificate(certificate);
  add('management.svc.example/certificate-user', userInside(user.name));
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
