/** A node of a document. `line` is where it begins, from 1. */
export type YamlNode = YamlScalarNode | YamlSequence | YamlMapping | YamlAlias;

export interface YamlScalarNode {
  readonly kind: 'scalar';
  readonly text: string;
  /** Empty without one. */
  readonly tag: string;
  /** Whether its text decides on its type. */
  readonly isImplicit: boolean;
  readonly line: number;
}

export interface YamlSequence {
  readonly kind: 'sequence';
  readonly items: YamlNode[];
  readonly line: number;
}

export interface YamlMapping {
  readonly kind: 'mapping';
  readonly entries: [key: YamlNode, value: YamlNode][];
  readonly line: number;
}

export interface YamlAlias {
  readonly kind: 'alias';
  readonly name: string;
  /** May contain the alias. */
  readonly target: YamlNode;
  readonly line: number;
}
