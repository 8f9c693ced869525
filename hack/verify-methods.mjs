// No method of a class is taken from its object without a call (destructured, passed on, or spread): it would lose `this`. The
// rule unbound-method of linters also asks this of interfaces, whose members here are functions, and not through Pick.
import { relative } from 'node:path';
import ts from 'typescript';

const root = process.cwd();
const { fileNames, options } = ts.getParsedCommandLineOfConfigFile(
  'tsconfig.build.json',
  {},
  {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: ({ messageText }) => {
      throw new Error(ts.flattenDiagnosticMessageText(messageText, '\n'));
    },
  },
);
const program = ts.createProgram(fileNames, options);
const checker = program.getTypeChecker();
const sources = program
  .getSourceFiles()
  .filter(({ fileName, isDeclarationFile }) => !isDeclarationFile && !fileName.includes('/node_modules/'));
const own = new Set(sources);

const isMethod = (node) =>
  ts.isMethodDeclaration(node) &&
  ts.isClassLike(node.parent) &&
  !(ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Static);
const isOwnMethod = (symbol) =>
  (symbol?.declarations ?? []).some((one) => isMethod(one) && own.has(one.getSourceFile()));

/** Of all methods: no type is asked for where a member has another name, which takes most of the time. */
const methods = new Set();
for (const source of sources) {
  const visit = (node) => {
    if (isMethod(node)) methods.add(node.name.getText());
    ts.forEachChild(node, visit);
  };
  visit(source);
}

const isCalled = (node) => {
  let at = node;
  while (ts.isNonNullExpression(at.parent) || ts.isParenthesizedExpression(at.parent)) at = at.parent;
  return ts.isCallExpression(at.parent) && at.parent.expression === at;
};

/** The names of methods that `node` takes from their object. */
function taken(node) {
  if (ts.isPropertyAccessExpression(node))
    return methods.has(node.name.text) &&
      !isCalled(node) &&
      isOwnMethod(checker.getSymbolAtLocation(node.name))
      ? [node.name.text]
      : [];
  if (ts.isObjectBindingPattern(node)) {
    const names = node.elements
      .map(({ propertyName, name }) => (propertyName ?? name).getText())
      .filter((name) => methods.has(name));
    if (names.length === 0) return [];
    const type = checker.getTypeAtLocation(node);
    return names.filter((name) => isOwnMethod(type.getProperty(name)));
  }
  if (ts.isSpreadAssignment(node)) {
    const members = checker.getTypeAtLocation(node.expression).getProperties();
    return members.filter(isOwnMethod).map(({ name }) => name);
  }
  return [];
}

const found = [];
for (const source of sources) {
  const visit = (node) => {
    const names = taken(node);
    if (names.length > 0) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      found.push(`${relative(root, source.fileName)}:${line + 1}: ${names.join(', ')} without its object`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
}
if (sources.length < 100) found.push(`only ${sources.length} sources were read`);
if (found.length > 0) {
  console.error(
    `${found.join('\n')}\nverify-methods: call a method on its object, or pass () => object.method()`,
  );
  process.exit(1);
}
