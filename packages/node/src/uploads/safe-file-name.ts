const longest = 100;

/**
 * The name under which a file that came from outside is kept: no folders, blanks as underscores, plain ASCII, not
 * hidden (`../../etc/a b.zip` is `etc_a_b.zip`). Undefined when nothing of it can be used.
 */
export function safeFileName(name: string): string | undefined {
  const words = name.normalize('NFKD').split(/[\\/\s]+/);
  const plain = words.join('_').replaceAll(/[^A-Za-z0-9_.-]/g, '');
  const trimmed = plain
    .slice(-longest)
    .replace(/^[._-]+/, '')
    .replace(/[._]+$/, '');
  return trimmed === '' ? undefined : trimmed;
}
