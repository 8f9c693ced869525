/** One object of any resource: where it is watched, and how it is deleted. */
import type { ObjectMeta } from '../../../api/resource.js';
import { pathOf, withQuery } from './paths.js';
import { send } from './request.js';

/** A list or watch of one object. `namespace` is empty for what is in none. */
export const onePath = (resource: string, namespace: string, name: string): string =>
  withQuery(pathOf(resource, namespace), { fieldSelector: `metadata.name=${escapedValue(name)}` });

/** As `fields.EscapeValue` of k8s.io/apimachinery. */
const escapedValue = (value: string): string => value.replaceAll(/[\\,=]/g, '\\$&');

/** Deletes this very object, not another that was made anew by its name. Rejects with ApiError. */
export const deleteObject = (resource: string, { namespace, name, uid }: ObjectMeta): Promise<unknown> =>
  send('DELETE', pathOf(resource, namespace, name), { body: { preconditions: { uid } } });

/** Creates an object. `namespace` is empty for what is in none. Rejects with ApiError. */
export const createObject = <T>(resource: string, namespace: string, object: object): Promise<T> =>
  send('POST', `${pathOf(resource, namespace)}?fieldManager=console`, {
    body: { apiVersion: 'management.svc.example/v1', ...object },
  });

/** Sets members of `spec` on the version that is shown: 409 where somebody was faster. */
export const patchSpec = <T>(
  resource: string,
  { namespace, name, resourceVersion }: ObjectMeta,
  spec: object,
): Promise<T> =>
  send('PATCH', `${pathOf(resource, namespace, name)}?fieldManager=console`, {
    contentType: 'application/merge-patch+json',
    body: { metadata: { resourceVersion }, spec },
  });
