import { type Located, locateYaml, type Position } from './locate-yaml.ts';

/** A YAML text that cannot be read; the message is a sentence with the place. */
export class YamlError extends Error {
  readonly at: Position;
  constructor(message: string, at: Position) {
    super(`${message.replace(/\.$/, '')} at line ${at.line}, column ${at.column}.`);
    this.at = at;
  }
}

/** A value of a YAML text, and the position of each part of it. */
export interface YamlValue {
  /** Undefined when there is nothing but blanks and comments. */
  readonly value: unknown;
  /** The position of the part at a path, or of the nearest part around it. */
  readonly place: (path: readonly (string | number)[]) => Position;
}

/** A key may be any text, `__proto__` too: it becomes a property of its own. */
function plain(located: Located): unknown {
  switch (located.kind) {
    case 'scalar':
      return located.value;
    case 'list':
      return located.items.map(plain);
    case 'map':
      return Object.fromEntries([...located.entries].map(([key, { value }]) => [key, plain(value)]));
  }
}

function part(located: Located, step: string | number): Located | undefined {
  if (located.kind === 'map') return located.entries.get(String(step))?.value;
  return located.kind === 'list' && typeof step === 'number' ? located.items[step] : undefined;
}

/** Reads YAML within the limits of `locateYaml`. @throws YamlError */
export function readYaml(text: string): YamlValue {
  const { root, fault } = locateYaml(text);
  if (fault !== undefined) throw new YamlError(fault.message, fault.at);
  const place = (path: readonly (string | number)[]): Position => {
    let found = root;
    let at = root?.at ?? { line: 1, column: 1 };
    for (const step of path) {
      found = found && part(found, step);
      if (found === undefined) break;
      at = found.at;
    }
    return at;
  };
  return { value: root && plain(root), place };
}
