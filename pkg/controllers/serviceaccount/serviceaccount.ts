import { ignoring } from '../ignorederrors.js';
import { resourceOf, type Controller } from '../interface.js';
import { followActiveNamespaces, isActiveNamespace } from '../namespaces.js';
import { ServiceAccount } from '../../../api/core/v1/serviceaccount.js';

const NAME = 'default';

/** Keeps a ServiceAccount `default` in each namespace. */
export const serviceAccountController: Controller = {
  name: 'serviceaccount-controller',
  user: 'service-account-controller',
  workers: 4,
  start(context) {
    const accounts = resourceOf(context.client, ServiceAccount);
    followActiveNamespaces(context, accounts, NAME);
    return {
      async reconcile(namespace) {
        if (
          !isActiveNamespace(context, namespace) ||
          accounts.cached({ namespace, name: NAME }) !== undefined
        )
          return;
        const object = { kind: 'ServiceAccount', apiVersion: 'v1', metadata: { name: NAME } };
        // 403: the namespace is being deleted; 404: it is gone.
        await ignoring([403, 404, 409], accounts.create(namespace, object));
      },
    };
  },
};
