import { describe, expect, test } from '@jest/globals';
import { fillTemplate, templateOf } from './jsonpath.js';

const OBJECT = {
  metadata: { name: 'db', labels: { 'app.kubernetes.io/name': 'x' } },
  spec: { access: [{ users: ['ada', 'ben'] }, { users: ['cy'] }], size: 2 },
};

describe('a JSONPath template', () => {
  test.each([
    ['{.metadata.name}', 'db'],
    ['.metadata.name', 'db'],
    ['{.spec.size}', '2'],
    ['{.spec.access[0].users}', '["ada","ben"]'],
    ['{.spec.access[*].users[*]}', 'ada ben cy'],
    ['{.spec.access[-1].users[0]}', 'cy'],
    ['{.spec.access[-5].users[0]}', ''],
    ['{.spec.access[2].users[0]}', ''],
    ["{.metadata.labels['app.kubernetes.io/name']}", 'x'],
    ['{.metadata.name}{"\\n"}', 'db\n'],
    ['name={.metadata.name};', 'name=db;'],
    ['{.nothing.there}', ''],
    ['{.constructor}', ''],
    ['{.metadata.__proto__}', ''],
    ['{range .spec.access[*]}{.users[0]},{end}', 'ada,cy,'],
    [
      '{range .spec.access[*]}{range .users[*]}{@}{"\\n"}{end}{$.metadata.name};{end}',
      'ada\nben\ndb;cy\ndb;',
    ],
    ['{range .nothing[*]}{.a}{end}', ''],
  ])('%s', (template, expected) => {
    expect(fillTemplate(template, OBJECT)).toBe(expected);
  });

  test.each(['{.a[?(@.b==1)]}', '{.a..b}', '{range .a..b}{end}'])('%s is refused', (template) => {
    expect(() => fillTemplate(template, OBJECT)).toThrow('-o jsonpath knows');
  });

  test.each(['{range .spec.access[*]}', '{.spec}{end}', '{range .a}{range .b}{end}'])(
    '%s is refused: a range is not closed, or not open',
    (template) => {
      expect(() => fillTemplate(template, OBJECT)).toThrow(/without its \{(end|range)\}$/);
    },
  );

  test.each(['{.spec.', '{.metadata.name}{', '{.a{.b}'])(
    '%s is refused: a brace is not closed',
    (template) => {
      expect(() => fillTemplate(template, OBJECT)).toThrow(`a { without its } in ${template}`);
    },
  );

  test('comes from -o', () => {
    expect(templateOf('jsonpath={.a}')).toBe('{.a}');
    expect(templateOf('json')).toBeUndefined();
  });
});
