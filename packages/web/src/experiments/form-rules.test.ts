import { describe, expect, it } from 'vitest';
import { nameFault, tagsFault } from './form-rules.ts';

describe('the form of an experiment', () => {
  it('finds an invalid name before it is sent', () => {
    expect(nameFault('growth-1', new Set())).toBeNull();
    expect(nameFault('a/b', new Set())).toContain("'/'");
    expect(nameFault('', new Set())).not.toBeNull();
  });

  it('finds a taken name, with or without blanks around it, but not in another case', () => {
    const taken = new Set(['growth-1']);
    expect(nameFault(' growth-1 ', taken)).toContain('exists already');
    expect(nameFault('Growth-1', taken)).toBeNull();
  });

  it('checks tags', () => {
    expect(tagsFault(['a', 'b'])).toBeNull();
    expect(tagsFault(['x'.repeat(101)])).not.toBeNull();
  });
});
