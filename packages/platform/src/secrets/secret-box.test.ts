import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { SecretBox } from './secret-box.ts';

const box = () => new SecretBox(randomBytes(32), 'encrypted:');

describe('an encrypted text', () => {
  it.each(['', 'open sesame', 'Käse=100%\nsecond line'])('is decrypted with its key: %j', (text) => {
    const one = box();
    const sealed = one.seal(text);
    expect(sealed).toMatch(/^encrypted:[\w+/]+=*$/);
    expect(one.unseal(sealed)).toBe(text);
    expect(one.seal(text)).not.toBe(sealed);
  });

  it('is not decrypted with another key, nor after a change, nor if it is no encrypted text', () => {
    const one = box();
    const sealed = one.seal('open sesame');
    expect(box().unseal(sealed)).toBeUndefined();
    for (const index of [12, 20, 40]) {
      const changed = sealed.slice(0, index) + (sealed[index] === 'A' ? 'B' : 'A') + sealed.slice(index + 1);
      expect(one.unseal(changed)).toBeUndefined();
    }
    for (const text of ['open sesame', 'encrypted:', 'encrypted:AAAA']) expect(one.unseal(text)).toBeUndefined();
  });
});
