import { describe, expect, test } from '@jest/globals';
import { CONTROLLERS } from './controllers.js';
import { CONTROLLER_NAMES, isEnabled, isOfMode, parseControllers } from './controllernames.js';

describe('--controllers', () => {
  test.each([
    ['*', true],
    ['*,-namespace-controller', false],
    ['-namespace-controller,*', false],
    ['*,-namespace', false],
    ['namespace', true],
    ['namespace-controller', true],
    ['serviceaccount-controller', false],
    ['namespace-controller,-namespace-controller', true],
    ['-namespace-controller', false],
  ])('%s', (given, expected) => {
    expect(isEnabled('namespace-controller', parseControllers(given))).toBe(expected);
  });

  test.each(['nope', '-nope', '', '**', '*,'])('"%s" is refused', (given) => {
    expect(() => parseControllers(given)).toThrow(
      /is not in the list of known controllers: namespace-controller,/,
    );
  });

  test.each([
    ['namespace-controller', true, false],
    ['access-rules-controller', true, true],
    ['lost-objects-controller', false, true],
  ])('%s has controllers in its modes', (name, standalone, aggregated) => {
    expect(isOfMode(name, 'standalone')).toBe(standalone);
    expect(isOfMode(name, 'aggregated')).toBe(aggregated);
  });

  test('has the name of every controller, and no other', () => {
    expect(CONTROLLERS.map(({ name }) => name)).toEqual(CONTROLLER_NAMES.map(({ name }) => name));
  });
});
