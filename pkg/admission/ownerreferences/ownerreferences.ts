/**
 * OwnerReferencesPermissionEnforcement: garbage collection deletes dependents with their owner, so changing the
 * owners of an object requires the right to delete it (Kubernetes' plugin of this name), and blocking an owner's
 * deletion the right to delete that owner.
 */
import type { KubeObject, ResourceDefinition } from '../../../api/resource.js';
import { fieldForbidden, forbidden, invalid, type FieldError } from '../../apimachinery/errors.js';
import type { Authorizer, ResourceAttributes } from '../../authorization/interface.js';
import type { AdmissionAttributes } from '../../registry/admission.js';
import { sameJson } from '../../registry/object/metadata.js';
import type { AdmissionPlugin } from '../chain.js';
import { requestFor } from '../../apimachinery/attributes.js';

type OwnerReference = NonNullable<KubeObject['metadata']['ownerReferences']>[number];
type Definition = Pick<ResourceDefinition, 'group' | 'version' | 'kind' | 'plural' | 'namespaced'>;

/** `definitions`: all kinds that can be owners here. */
export function ownerReferencesPermissionEnforcement(
  authorizer: Pick<Authorizer, 'authorize'>,
  definitions: readonly Definition[],
): AdmissionPlugin {
  return {
    name: 'OwnerReferencesPermissionEnforcement',
    async validate(attributes, object, previous) {
      if (object === undefined) return;
      const before = previous?.metadata.ownerReferences ?? [];
      const after = object.metadata.ownerReferences ?? [];
      if (sameJson(before, after)) return;
      if (previous !== undefined) await checkDeletable(attributes);
      await checkBlocked(attributes, before, after);
    },
  };

  async function checkDeletable(attributes: AdmissionAttributes): Promise<void> {
    const { definition, subresource, namespace, name, requester } = attributes;
    const decision = await authorizer.authorize(
      requester,
      requestFor('delete', definition, { namespace, name, subresource }),
    );
    if (decision.allowed) return;
    const why = "cannot set an ownerRef on a resource you can't delete";
    throw forbidden(definition, name, decision.reason === '' ? why : `${why}: ${decision.reason}`);
  }

  /** Throws StatusError 422. */
  async function checkBlocked(
    { definition, namespace, name, requester }: AdmissionAttributes,
    before: readonly OwnerReference[],
    after: readonly OwnerReference[],
  ): Promise<void> {
    const blocked = new Set(before.filter(blocks).map(({ uid }) => uid));
    const errors: FieldError[] = [];
    for (const [index, owner] of after.entries()) {
      if (!blocks(owner) || blocked.has(owner.uid)) continue;
      const asked = ownerDeletion(definitions, owner, namespace);
      if ((await authorizer.authorize(requester, asked)).allowed) continue;
      const why = `it takes permission to delete the owner, ${owner.kind} ${owner.name}`;
      errors.push(fieldForbidden(`metadata.ownerReferences[${index}].blockOwnerDeletion`, why));
    }
    if (errors.length > 0) throw invalid(definition, name, errors);
  }
}

const blocks = ({ blockOwnerDeletion }: OwnerReference): boolean => blockOwnerDeletion === true;

/** The owner is in the dependent's namespace, or cluster-scoped. Kinds that are not served here: all of their group. */
function ownerDeletion(
  definitions: readonly Definition[],
  { apiVersion, kind, name }: OwnerReference,
  namespace: string,
): ResourceAttributes {
  const slash = apiVersion.indexOf('/');
  const group = slash < 0 ? '' : apiVersion.slice(0, slash);
  const version = apiVersion.slice(slash + 1);
  const found = definitions.find((one) => one.group === group && one.kind === kind);
  if (found === undefined) return requestFor('delete', { group, version, plural: '*' }, { namespace, name });
  return requestFor('delete', found, { namespace: found.namespaced ? namespace : '', name });
}
