/** The real kubectl with kinds that can only be created, such as reviews, whose response contains the result. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { accessKeys } from '../../fixtures/clients/accesskeys.js';
import { execute, describeKubectl, type Outcome } from '../../fixtures/program.js';
import { startServer, type ServerFixture } from '../../fixtures/servers/server.js';

const OURS = 'management.svc.example/v1';
const AUTHORIZATION = 'authorization.k8s.io/v1';
const ATTRIBUTES = { resourceAttributes: { verb: 'get', resource: 'configmaps', namespace: 'default' } };

type Asked = readonly [kind: string, apiVersion: string, spec: object | undefined, answer: RegExp];
/** The kinds that every user may create. */
const ANYBODY: readonly Asked[] = [
  ['DirectClusterEndpointToken', OURS, { ttl: 600 }, /^ +token: ey/m],
  ['Self', OURS, undefined, /^ +name: ada$/m],
  ['SelfSubjectAccessReview', AUTHORIZATION, ATTRIBUTES, /^ +allowed: false$/m],
  ['SelfSubjectRulesReview', AUTHORIZATION, { namespace: 'default' }, /^ +resourceRules:/m],
  ['SelfSubjectReview', 'authentication.k8s.io/v1', undefined, /^ +username: .*ada$/m],
];
const ADMINISTRATORS: readonly Asked[] = [
  ['AuditSearch', OURS, { verb: 'create', user: 'ada' }, /^ +log: File$/m],
  ['SubjectAccessReview', AUTHORIZATION, { user: 'ada', ...ATTRIBUTES }, /^ +allowed: false$/m],
  ['TokenReview', 'authentication.k8s.io/v1', { token: 'nobody' }, /^ +error: /m],
];

describeKubectl('oldest and newest', (program) => {
  let server: ServerFixture;
  let key: string;
  beforeAll(async () => {
    server = await startServer();
    const keys = accessKeys(server);
    await keys.createUser('ada');
    key = (await keys.createKey('adas', { user: 'ada' })).spec.key as string;
  });
  afterAll(() => server.remove());

  function create([kind, apiVersion, spec]: Asked, who: 'ada' | 'the administrator'): Outcome {
    const flags = [`--kubeconfig=${server.kubeconfig}`, `--cache-dir=${join(server.directory, 'cache')}`];
    if (who === 'ada') flags.push(`--token=${key}`);
    const input = JSON.stringify({ kind, apiVersion, metadata: {}, spec });
    return execute(program, [...flags, 'create', '-f', '-', '-o', 'yaml'], {
      input,
      env: { HOME: server.directory },
    });
  }

  // The user has no rights on CustomResourceDefinitions, which kubectl reads if the OpenAPI document is not sufficient.
  test.each(ANYBODY)('create -f of a %s by a user without rights', (...asked) => {
    expect(create(asked, 'ada')).toMatchObject({ code: 0, err: '', out: expect.stringMatching(asked[3]) });
  });

  test.each(ADMINISTRATORS)('create -f of a %s by the administrator', (...asked) => {
    const outcome = create(asked, 'the administrator');
    expect(outcome).toMatchObject({ code: 0, err: '', out: expect.stringMatching(asked[3]) });
  });

  test.each([...ANYBODY, ...ADMINISTRATORS])('an unknown field of a %s is named', (...asked) => {
    const [kind, apiVersion, spec = {}, answer] = asked;
    const wrong: Asked = [kind, apiVersion, { ...spec, verbb: 'get' }, answer];
    const { code, err } = create(wrong, 'the administrator');
    expect({ code, err }).toMatchObject({
      code: 1,
      err: expect.stringMatching(/unknown field "spec(\.verbb)?"/),
    });
  });
});
