import { naturalLog } from './natural-log.ts';

/** The state of a stream, from which it continues after a restart. */
export interface SeededStreamState {
  readonly name: string;
  readonly words: readonly [number, number, number, number];
  readonly spareNormal: number | null;
}

const rotateLeft = (word: number, bits: number): number => ((word << bits) | (word >>> (32 - bits))) >>> 0;

/** FNV-1a over UTF-16 units: turns a name into 32 bits (http://www.isthe.com/chongo/tech/comp/fnv/). */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  }
  return hash;
}

/** Spreads 32 bits over four 32-bit numbers with the finaliser of MurmurHash3, so that similar names give different streams. */
function wordsFor(name: string): [number, number, number, number] {
  let counter = hashOf(name);
  const next = (): number => {
    counter = (counter + 0x9e3779b9) >>> 0;
    let word = counter ^ (counter >>> 16);
    word = Math.imul(word, 0x85ebca6b);
    word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
    return (word ^ (word >>> 16)) >>> 0;
  };
  // The second pair is seeded from the name with a suffix, so that 64 bits of the name determine the state, not 32.
  const [first, second] = [next(), next()];
  counter = hashOf(`${name}\u0000second`);
  return [first, second, next(), next() || 1];
}

/**
 * A reproducible random number generator: xoshiro128** (Blackman and Vigna, "Scrambled linear pseudorandom number generators", ACM TOMS 47, 2021).
 * Only integer arithmetic, + - * / and square roots are used, all exact by IEEE 754: the numbers are the same on every machine.
 * A stream is identified by its name; `split` makes an independent stream that does not depend on numbers drawn elsewhere.
 */
export class SeededStream {
  readonly name: string;
  /** Whole numbers of 32 bits: as usual numbers, larger ones than 2^31 would be stored one by one. */
  private readonly words: Uint32Array;
  private spareNormal: number | null = null;

  constructor(seed: number | string) {
    this.name = String(seed);
    this.words = Uint32Array.from(wordsFor(this.name));
  }

  /** Continues from a state. */
  static from(state: SeededStreamState): SeededStream {
    const stream = new SeededStream(state.name);
    stream.words.set(state.words);
    stream.spareNormal = state.spareNormal;
    return stream;
  }

  /** A plain copy of the state, safe to keep as JSON. */
  state(): SeededStreamState {
    const [first = 0, second = 0, third = 0, fourth = 0] = this.words;
    return { name: this.name, words: [first, second, third, fourth], spareNormal: this.spareNormal };
  }

  /** The stream `part` of this one: the same for the same names, however many numbers were drawn here. */
  split(part: string): SeededStream {
    return new SeededStream(`${this.name}/${part}`);
  }

  /** 32 random bits as an integer from 0 to 4,294,967,295. */
  bits(): number {
    const { words } = this;
    const [first, second] = [words[0] ?? 0, words[1] ?? 0];
    const drawn = Math.imul(rotateLeft(Math.imul(second, 5), 7), 9) >>> 0;
    const third = (words[2] ?? 0) ^ first;
    const fourth = (words[3] ?? 0) ^ second;
    words[1] = second ^ third;
    words[0] = first ^ fourth;
    words[2] = third ^ (second << 9);
    words[3] = rotateLeft(fourth, 11);
    return drawn;
  }

  /** A number from 0 (included) to 1 (excluded) with 53 random bits. */
  uniform(): number {
    const high = this.bits() >>> 5;
    const low = this.bits() >>> 6;
    return (high * 0x4000000 + low) / 0x20000000000000;
  }

  /** True with the given probability. */
  chance(probability: number): boolean {
    return this.uniform() < probability;
  }

  /** A standard normal number: mean 0, deviation 1 (polar method, Marsaglia and Bray, SIAM Review 6, 1964). */
  normal(): number {
    if (this.spareNormal !== null) {
      const spare = this.spareNormal;
      this.spareNormal = null;
      return spare;
    }
    for (;;) {
      const x = 2 * this.uniform() - 1;
      const y = 2 * this.uniform() - 1;
      const square = x * x + y * y;
      if (square > 0 && square < 1) {
        const factor = Math.sqrt((-2 * naturalLog(square)) / square);
        this.spareNormal = y * factor;
        return x * factor;
      }
    }
  }
}
