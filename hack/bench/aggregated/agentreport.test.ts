import { expect, test } from '@jest/globals';
import { agentReport } from './agentreport.js';

test('the report has what each way adds to the direct one, in the median', () => {
  const direct = [1, 2, 9].map((p50) => ({ p50, cpu: 100e-6 }));
  const agent = [2.25, 2.5, 2.75].map((p50) => ({ p50, cpu: 140e-6 }));
  const proxy = [{ p50: 2.1, cpu: 50e-6 }];
  const tunnel = [{ p50: 3, cpu: 200e-6, serverCpu: 2e-3 }];
  const text = agentReport(
    new Map([
      [
        'GET',
        new Map([
          ['direct', direct],
          ['proxy', proxy],
          ['agent', agent],
          ['tunnel', tunnel],
        ] as const),
      ],
      ['LIST', new Map()],
    ]),
  );
  expect(text).toContain(
    '| GET | 2.00 ms | 100 µs | 0.10 ms | 50 µs | 0.50 ms | 140 µs | 1.00 ms | 200 µs | 2.0 ms |',
  );
  expect(text).toContain('| LIST | – | – | – | – | – | – | – | – | – |');
});
