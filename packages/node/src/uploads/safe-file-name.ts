const longest = 100;

/**
 * A safe file name for an uploaded file: no folders, underscores for blanks, plain ASCII, not hidden (`../../etc/a b.zip` becomes
 * `etc_a_b.zip`). Undefined when no usable character remains.
 */
export function safeFileName(name: string): string | undefined {
  const parts = name.normalize('NFKD').split(/[\\/\s]+/);
  const plain = parts.join('_').replaceAll(/[^A-Za-z0-9_.-]/g, '');
  const trimmed = plain
    .slice(-longest)
    .replace(/^[._-]+/, '')
    .replace(/[._]+$/, '');
  return trimmed === '' ? undefined : trimmed;
}
