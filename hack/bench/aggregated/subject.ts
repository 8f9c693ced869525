/** What is measured of each server behind the aggregator: its objects, of the same size as those of the other. */
import { ours, SAMPLE, type Backend } from '../../../test/fixtures/host/backends.js';
import { API_VERSION, dataOf, objectBody, pathOf } from '../objects.js';

/** A kind of objects of a server. */
export interface Objects {
  /** The path of the collection. */
  collection(namespace: string): string;
  /** The JSON of one. */
  body(namespace: string, name: string, index: number): string;
}

export interface Subject {
  readonly title: 'management-apiserver' | 'sample-apiserver';
  readonly backend: Backend;
  /** Objects to read and watch; ours have owners, whose rights are judged from them. */
  readonly objects: Objects;
  /** Objects of nobody. */
  readonly plain: Objects;
  /** A merge patch that changes one of `objects`. */
  change(round: number): string;
}

const PURPOSE = { 'bench.example/purpose': 'written by the benchmark, of the size of an ordinary secret' };

/** Annotations as big as the data of a SharedSecret. */
const weight = (namespace: string, name: string): Record<string, string> => ({
  ...PURPOSE,
  ...dataOf(namespace, name),
});

const FLUNDERS: Objects = {
  collection: (namespace) => `/apis/wardle.example.com/v1alpha1/namespaces/${namespace}/flunders`,
  body: (namespace, name, index) =>
    JSON.stringify({
      apiVersion: 'wardle.example.com/v1alpha1',
      kind: 'Flunder',
      metadata: {
        name,
        labels: { app: 'bench', tenth: index % 10 === 0 ? 'yes' : 'no' },
        annotations: {
          ...weight(namespace, name),
          description: `Secret ${index}. Credentials of a service that several teams use.`,
        },
      },
      spec: { reference: 'another-flunder', referenceType: 'Flunder' },
    }),
};

const USERS: Objects = {
  collection: () => pathOf('').replace(/\/namespaces\/.*/, '/users'),
  body: (namespace, name, index) =>
    JSON.stringify({
      apiVersion: API_VERSION,
      kind: 'User',
      metadata: {
        name: `${namespace}-${name}`,
        labels: { app: 'bench', tenth: index % 10 === 0 ? 'yes' : 'no' },
        annotations: weight(namespace, name),
      },
      spec: { displayName: `User ${index}`, username: `${namespace}-${name}` },
    }),
};

/** In the order of measuring. */
export const SUBJECTS: readonly Subject[] = [
  {
    title: 'sample-apiserver',
    backend: SAMPLE,
    objects: FLUNDERS,
    plain: FLUNDERS,
    change: (round) => JSON.stringify({ metadata: { annotations: { description: `Round ${round}.` } } }),
  },
  {
    title: 'management-apiserver',
    backend: ours(),
    objects: { collection: (namespace) => pathOf(namespace), body: objectBody },
    plain: USERS,
    change: (round) => JSON.stringify({ spec: { description: `Round ${round} of the benchmark.` } }),
  },
];
