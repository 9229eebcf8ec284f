/** The `code` of an error of the operating system (`ENOENT`, …); `undefined` for any other error. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  return error.code;
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'this user has no permission',
  EPERM: 'this user has no permission',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ENOTDIR: 'a part of the path is a file',
  EEXIST: 'it is a file',
  ENOENT: 'it cannot be created there',
  ELOOP: 'its symbolic links lead in a circle',
  ENAMETOOLONG: 'its name is too long',
  EMFILE: 'too many files are open',
  EIO: 'the disk reports an error',
};

/** Why a folder or file cannot be used, as the end of a sentence for users. */
export function reasonOf(error: unknown): string {
  const code = errnoOf(error);
  const known = code === undefined ? undefined : reasons[code];
  if (known !== undefined) return known;
  return error instanceof Error ? error.message : String(error);
}
