import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { designOf, designText, mergedDesign, tagsOfDesign } from './experiment-design.ts';

describe('the design of an experiment', () => {
  it('is read from its tags in any case; further tags of the kind remain tags', () => {
    expect(designOf(['ramp', 'Organism:  E. coli MG1655 ', 'media: M9', 'media: LB'])).toEqual({
      organism: 'E. coli MG1655',
      medium: 'M9',
      tags: ['ramp', 'media: LB'],
    });
    expect(designOf(['organisms', 'media'])).toEqual({ organism: '', medium: '', tags: ['organisms', 'media'] });
  });

  it('is the same after it was written to tags', () => {
    const word = fc.stringMatching(/^[A-Za-z][A-Za-z0-9 .:]{0,20}[a-z]$/);
    const design = fc.record({ organism: word, medium: word, tags: fc.array(fc.constantFrom('ramp', 'night shift')) });
    fc.assert(
      fc.property(design, (each) => {
        expect(designOf(tagsOfDesign(each))).toEqual(each);
      }),
    );
    expect(tagsOfDesign({ organism: ' ', medium: '', tags: ['a'] })).toEqual(['a']);
  });

  it('has a short text', () => {
    expect(designText({ organism: 'E. coli', medium: 'M9' })).toBe('E. coli in M9');
    expect(designText({ organism: '', medium: 'M9' })).toBe('M9');
    expect(designText({ organism: 'E. coli', medium: '' })).toBe('E. coli');
  });

  it('is saved with the changes of a form only: what others changed meanwhile stays', () => {
    const first = { organism: 'E. coli', medium: 'M9', tags: ['ramp', 'old'] };
    const present = { organism: 'E. coli MG1655', medium: 'M9', tags: ['ramp', 'old', 'night shift'] };
    expect(mergedDesign(first, { ...first, medium: 'LB', tags: ['ramp', 'salt', 'night shift'] }, present)).toEqual({
      organism: 'E. coli MG1655',
      medium: 'LB',
      tags: ['ramp', 'night shift', 'salt'],
    });
    expect(mergedDesign(first, { ...first, organism: '' }, present)).toEqual({ ...present, organism: '' });
    expect(mergedDesign(first, first, present)).toEqual(present);
  });
});
