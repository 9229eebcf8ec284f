/** What a check has found. */
export interface Finding {
  /** Names the check. */
  readonly code: string;
  /** `unknown`: it could not be checked. */
  readonly level: 'ok' | 'unknown' | 'advice' | 'problem';
  /** What is, in one sentence. */
  readonly message: string;
  /** What to do; absent where nothing is. */
  readonly remediation?: string;
}

export const fine = (code: string, message: string): Finding => ({ code, level: 'ok', message });

export const unknown = (code: string, message: string, remediation: string): Finding => ({
  code,
  level: 'unknown',
  message,
  remediation,
});

export const advice = (code: string, message: string, remediation: string): Finding => ({
  code,
  level: 'advice',
  message,
  remediation,
});

export const problem = (code: string, message: string, remediation: string): Finding => ({
  code,
  level: 'problem',
  message,
  remediation,
});

/** `a`, `a and b`, `a, b and c` */
export function listed(names: readonly string[]): string {
  if (names.length < 2) return names.join('');
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
