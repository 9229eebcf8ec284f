import { setImmediate as turnOfEventLoop } from 'node:timers/promises';

/** Characters that are written in one turn of the event loop: a few milliseconds. */
const pieceLength = 65_536;

function* piecesOf(value: unknown, levels: number): Generator<string, void, undefined> {
  if (levels === 0 || typeof value !== 'object' || value === null) {
    yield JSON.stringify(value) ?? 'null';
  } else if (Array.isArray(value)) {
    let mark = '[';
    for (const item of value) {
      yield mark;
      yield* piecesOf(item, levels - 1);
      mark = ',';
    }
    yield mark === '[' ? '[]' : ']';
  } else {
    let mark = '{';
    for (const [name, item] of Object.entries(value)) {
      if (item === undefined) continue;
      yield `${mark}${JSON.stringify(name)}:`;
      yield* piecesOf(item, levels - 1);
      mark = ',';
    }
    yield mark === '{' ? '{}' : '}';
  }
}

/**
 * The JSON of a value. Members of lists and objects on the first `levels` levels are written one by one, with turns of the event loop in
 * between.
 */
export async function jsonInPieces(value: unknown, levels: number): Promise<string> {
  const written: string[] = [];
  let sinceTurn = 0;
  for (const piece of piecesOf(value, levels)) {
    written.push(piece);
    sinceTurn += piece.length;
    if (sinceTurn < pieceLength) continue;
    sinceTurn = 0;
    await turnOfEventLoop();
  }
  return written.join('');
}
