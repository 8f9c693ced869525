/** The commands of a shell script, as their words: enough of a shell for what pages and errors show. */

/** What stands before a command and is none of its words. */
const BEFORE = /^(sudo|exec|if|while|until|do|then|else|!|\$|[A-Za-z_]\w*=.*)$/;
const REDIRECTION = /^\d*[<>]/;

/** Quotes are taken away, and what `$(…)` and `${…}` stand for is `X`. */
export function commandsIn(script: string): string[][] {
  const inner: string[][] = [];
  let text = script.replaceAll(/\\\n\s*/g, ' ').replaceAll(/\$?\{\{.*?\}\}|\$\{[^{}]*\}/g, 'X');
  for (let found = true; found;) {
    found = false;
    text = text.replace(/\$\(([^()]*)\)/, (_all, inside: string) => {
      found = true;
      inner.push(...commandsIn(inside));
      return 'X';
    });
  }
  return [...inner, ...splitAt(wordsOf(text))].map(stripped).filter((words) => words.length > 0);
}

/** Words, and operators between commands: these have a line end before them. */
function wordsOf(text: string): string[] {
  const tokens = text.matchAll(
    /(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|>&\d|[^\s'"\\|;&()#]|(?<=\S)#)+|[|;&()\n]|#.*/g,
  );
  return [...tokens].flatMap(([token]) => {
    if (/^#/.test(token)) return [];
    if (/^[|;&()\n]$/.test(token)) return [`\n${token}`];
    return [
      token.replaceAll(
        /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/g,
        (_all, a = '', b = '', c = '') => `${a}${b}${c}`,
      ),
    ];
  });
}

function splitAt(words: readonly string[]): string[][] {
  const commands: string[][] = [[]];
  for (const word of words)
    if (word.startsWith('\n')) commands.push([]);
    else commands.at(-1)?.push(word);
  return commands;
}

function stripped(words: readonly string[]): string[] {
  const first = words.findIndex((word) => !BEFORE.test(word));
  const own = first < 0 ? [] : words.slice(first);
  return own.filter((word, at) => !REDIRECTION.test(word) && !/^\d*[<>]+$/.test(own[at - 1] ?? ''));
}
