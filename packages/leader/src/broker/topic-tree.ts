interface Branch<Value> {
  value?: Value;
  children?: Map<string, Branch<Value>>;
}

/** Branches that one step of a search visits. */
const branchesAStep = 256;

/**
 * Values by topic or topic filter, level by level. A tree of filters finds the filters that match a topic; a tree of topics finds the topics
 * that match a filter (MQTT 3.1.1, section 4.7).
 */
export class TopicTree<Value> {
  readonly #root: Branch<Value> = {};

  get(path: string): Value | undefined {
    let branch: Branch<Value> | undefined = this.#root;
    for (const level of path.split('/')) branch = branch?.children?.get(level);
    return branch?.value;
  }

  set(path: string, value: Value): void {
    let branch = this.#root;
    for (const level of path.split('/')) {
      branch.children ??= new Map();
      let child = branch.children.get(level);
      if (child === undefined) {
        child = {};
        branch.children.set(level, child);
      }
      branch = child;
    }
    branch.value = value;
  }

  delete(path: string): void {
    const levels = path.split('/');
    const remove = (branch: Branch<Value>, index: number): void => {
      const level = levels[index];
      if (level === undefined) {
        delete branch.value;
        return;
      }
      const child = branch.children?.get(level);
      if (child === undefined) return;
      remove(child, index + 1);
      if (child.value === undefined && child.children === undefined) branch.children?.delete(level);
      if (branch.children?.size === 0) delete branch.children;
    };
    remove(this.#root, 0);
  }

  /** Visits the value of each filter of this tree that matches the topic. */
  visitFilters(topic: string, visit: (value: Value) => void): void {
    const levels = topic.split('/');
    // Wildcards of the first level do not match topics that begin with $ (4.7.2).
    const firstWildcard = topic.startsWith('$') ? 1 : 0;
    const search = ({ value, children }: Branch<Value>, index: number): void => {
      const level = levels[index];
      const rest = index >= firstWildcard ? children?.get('#')?.value : undefined;
      if (rest !== undefined) visit(rest);
      if (level === undefined) {
        if (value !== undefined) visit(value);
        return;
      }
      const named = children?.get(level);
      if (named !== undefined) search(named, index + 1);
      const any = index >= firstWildcard ? children?.get('+') : undefined;
      if (any !== undefined) search(any, index + 1);
    };
    search(this.#root, 0);
  }

  /** The value of each matching topic of this tree; undefined after a step without a match. */
  *findTopics(filter: string): Generator<Value | undefined, void, undefined> {
    const levels = filter.split('/');
    let visited = 0;
    function* search(
      { value, children }: Branch<Value>,
      index: number,
      depth: number,
    ): Generator<Value | undefined, void, undefined> {
      visited += 1;
      if (visited % branchesAStep === 0) yield undefined;
      const level = levels[index];
      if ((level === undefined || level === '#') && value !== undefined) yield value;
      if (level === undefined || children === undefined) return;
      if (level !== '#' && level !== '+') {
        const child = children.get(level);
        if (child !== undefined) yield* search(child, index + 1, depth + 1);
        return;
      }
      for (const [name, child] of children) {
        if (depth > 0 || !name.startsWith('$')) yield* search(child, level === '#' ? index : index + 1, depth + 1);
      }
    }
    yield* search(this.#root, 0, 0);
  }
}
