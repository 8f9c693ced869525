/**
 * The members of a JSON object's text, each as the texts of its name and value. Unlike a parsed object it keeps
 * members of the same name apart, as FieldsV1 does in its keys. `text` must be a valid JSON object.
 */
export function splitMembers(text: string): [name: string, value: string][] {
  const members: [string, string][] = [];
  let depth = 0;
  let from = text.indexOf('{') + 1;
  let colon = -1;
  const end = text.lastIndexOf('}');
  const close = (to: number): void => {
    if (colon >= 0) members.push([text.slice(from, colon), text.slice(colon + 1, to)]);
    from = to + 1;
    colon = -1;
  };
  for (let i = from; i < end; i++) {
    const character = text[i];
    if (character === '"') i = endOfString(text, i);
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    else if (depth === 0 && character === ':' && colon < 0) colon = i;
    else if (depth === 0 && character === ',') close(i);
  }
  close(end);
  return members;
}

function endOfString(text: string, start: number): number {
  let i = start + 1;
  while (text[i] !== '"') i += text[i] === '\\' ? 2 : 1;
  return i;
}
