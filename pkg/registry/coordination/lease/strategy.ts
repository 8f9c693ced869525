import type { Lease } from '../../../../api/coordination.k8s.io/v1/lease.js';
import { fieldInvalid, type FieldError } from '../../../apimachinery/errors.js';
import { humanAge } from '../../../apimachinery/table.js';
import { ageColumn } from '../../object/columns.js';
import type { Strategy } from '../../strategy.js';

type LeaseSpec = NonNullable<Lease['spec']>;

const specOf = (object: Lease): LeaseSpec => object.spec ?? {};

/**
 * Leases for leader election. `strategy` and `preferredHolder` of coordinated leader election, which is off here as
 * by default in Kubernetes, are dropped.
 */
export const leaseStrategy: Strategy<Lease> = {
  generation: false,
  columns: [
    {
      name: 'Holder',
      type: 'string',
      format: '',
      description: 'The identity of the holder of the lease.',
      priority: 0,
      cell: (object) => specOf(object).holderIdentity ?? '',
    },
    ageColumn(humanAge),
  ],
  prepareForCreate: dropCoordination,
  prepareForUpdate: dropCoordination,
  validate(object) {
    const { leaseDurationSeconds, leaseTransitions } = specOf(object);
    const errors: FieldError[] = [];
    if (leaseDurationSeconds !== undefined && leaseDurationSeconds <= 0) {
      errors.push(fieldInvalid('spec.leaseDurationSeconds', leaseDurationSeconds, 'must be greater than 0'));
    }
    if (leaseTransitions !== undefined && leaseTransitions < 0) {
      const text = 'must be greater than or equal to 0';
      errors.push(fieldInvalid('spec.leaseTransitions', leaseTransitions, text));
    }
    return errors;
  },
};

function dropCoordination(object: Lease): void {
  const spec = specOf(object);
  delete spec.strategy;
  delete spec.preferredHolder;
}
