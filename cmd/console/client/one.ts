/** One object of any resource: the path to watch it, and how it is deleted. */
import type { ObjectMeta } from '../../../api/resource.js';
import { pathOf, withQuery } from './paths.js';
import { send } from './request.js';

/** The path of a list or watch of one object. `namespace` is empty for a cluster-scoped object. */
export const onePath = (resource: string, namespace: string, name: string): string =>
  withQuery(pathOf(resource, namespace), { fieldSelector: `metadata.name=${escapedValue(name)}` });

/** As `fields.EscapeValue` of k8s.io/apimachinery. */
const escapedValue = (value: string): string => value.replaceAll(/[\\,=]/g, '\\$&');

/**
 * Deletes this object, but not another one that was created with its name since (precondition on the uid). Rejects with
 * ApiError.
 */
export const deleteObject = (resource: string, { namespace, name, uid }: ObjectMeta): Promise<unknown> =>
  send('DELETE', pathOf(resource, namespace, name), { body: { preconditions: { uid } } });

/** Creates an object. `namespace` is empty for a cluster-scoped object. Rejects with ApiError. */
export const createObject = <T>(resource: string, namespace: string, object: object): Promise<T> =>
  send('POST', `${pathOf(resource, namespace)}?fieldManager=console`, {
    body: { apiVersion: 'management.svc.example/v1', ...object },
  });

/**
 * Sets members of `spec` on the version that is shown: 409 if somebody else changed the object first. Rejects with
 * ApiError.
 */
export const patchSpec = <T>(
  resource: string,
  { namespace, name, resourceVersion }: ObjectMeta,
  spec: object,
): Promise<T> =>
  send('PATCH', `${pathOf(resource, namespace, name)}?fieldManager=console`, {
    contentType: 'application/merge-patch+json',
    body: { metadata: { resourceVersion }, spec },
  });
