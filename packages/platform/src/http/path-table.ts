/** The declared paths below one segment. */
interface Branch<Leaf> {
  readonly named: Map<string, Branch<Leaf>>;
  /** Matches one segment of at least one character that is not `.` or `..`. */
  any: Branch<Leaf> | undefined;
  /** Matches the rest of the path, at least one character. */
  rest: Leaf | undefined;
  leaf: Leaf | undefined;
}

/** The match of a path, and its decoded parameters in their order. */
export interface FoundPath<Leaf> {
  readonly leaf: Leaf;
  readonly values: readonly string[];
}

const branch = <Leaf>(): Branch<Leaf> => ({ named: new Map(), any: undefined, rest: undefined, leaf: undefined });

/** These mean other folders in a URL: a URL built from such a value would lead to another route. */
const isDots = (segment: string): boolean => segment === '.' || segment === '..';

const isParameter = (segment: string): boolean => /^\{\w+\}$/.test(segment);

const decoded = (segment: string): string => (segment.includes('%') ? decodeURIComponent(segment) : segment);

/**
 * Finds the declared path of a request. A router that compiles a function for each path (find-my-way) would take most of the start time of
 * a node with hundreds of paths.
 */
export class PathTable<Leaf> {
  readonly #root = branch<Leaf>();

  /**
   * @param path with `{name}` for each parameter, which is a whole segment
   * @param takesRest The last parameter matches the rest of the path, slashes included.
   */
  add(path: string, takesRest: boolean, leaf: Leaf): void {
    const segments = path.split('/');
    if (takesRest) segments.pop();
    let place = this.#root;
    for (const segment of segments) {
      if (isParameter(segment)) {
        place.any ??= branch();
        place = place.any;
      } else {
        const next = place.named.get(segment) ?? branch<Leaf>();
        place.named.set(segment, next);
        place = next;
      }
    }
    if (takesRest) place.rest = leaf;
    else place.leaf = leaf;
  }

  /**
   * A literal segment takes precedence over a parameter, and a parameter over the rest of the path.
   * @param path percent-encoded, without the query
   * @throws URIError when it is not the encoding of any text
   */
  find(path: string): FoundPath<Leaf> | undefined {
    const values: string[] = [];
    const leaf = this.#below(this.#root, path.split('/').map(decoded), 0, values);
    return leaf === undefined ? undefined : { leaf, values };
  }

  #below(place: Branch<Leaf>, segments: readonly string[], at: number, values: string[]): Leaf | undefined {
    const segment = segments[at];
    if (segment === undefined) return place.leaf;
    const named = place.named.get(segment);
    const found = named && this.#below(named, segments, at + 1, values);
    if (found !== undefined) return found;
    if (place.any !== undefined && segment !== '' && !isDots(segment)) {
      values.push(segment);
      const below = this.#below(place.any, segments, at + 1, values);
      if (below !== undefined) return below;
      values.pop();
    }
    if (place.rest === undefined) return undefined;
    const rest = segments.slice(at).join('/');
    if (rest === '') return undefined;
    values.push(rest);
    return place.rest;
  }
}
