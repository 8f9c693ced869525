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

const isOwnMethod = (symbol) =>
  (symbol?.declarations ?? []).some(
    (one) =>
      ts.isMethodDeclaration(one) &&
      ts.isClassLike(one.parent) &&
      own.has(one.getSourceFile()) &&
      !(ts.getCombinedModifierFlags(one) & ts.ModifierFlags.Static),
  );

const isCalled = (node) => {
  let at = node;
  while (ts.isNonNullExpression(at.parent) || ts.isParenthesizedExpression(at.parent)) at = at.parent;
  return ts.isCallExpression(at.parent) && at.parent.expression === at;
};

/** The names of methods that `node` takes from their object. */
function taken(node) {
  if (ts.isPropertyAccessExpression(node))
    return isOwnMethod(checker.getSymbolAtLocation(node.name)) && !isCalled(node) ? [node.name.text] : [];
  if (ts.isObjectBindingPattern(node)) {
    const type = checker.getTypeAtLocation(node);
    const names = node.elements.map(({ propertyName, name }) => (propertyName ?? name).getText());
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
