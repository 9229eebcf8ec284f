/** One section of the shared configuration file; `null`: the file has none of that name. */
export function configSection(text: string, name: string): ReadonlyMap<string, string> | null {
  let section: Map<string, string> | null = null;
  let isInside = false;
  for (const line of text.split('\n')) {
    const head = /^\s*\[(.+)\]\s*$/.exec(line)?.[1];
    if (head !== undefined) {
      isInside = head === name;
      if (isInside) section ??= new Map();
      continue;
    }
    const [, key, value] = /^([^;#=:\s][^=:]*?)\s*[=:]\s*(.*?)\s*$/.exec(line) ?? [];
    if (isInside && key !== undefined) section?.set(key, value ?? '');
  }
  return section;
}
