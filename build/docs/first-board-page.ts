import { firstBoardSteps } from '@lcs/cluster';
import { page } from './markdown.ts';

const introduction = `For the first person with a real board. Every value below comes from fact sheets and the simulation: **none was measured on a board**. The
steps find out what is wrong, safest first; a step that fails in a way it says "stop" ends the test.

**You need** a Raspberry Pi with the board and one reactor, installed as in [install.md](install.md), a multimeter, a thermometer, a scale of 0.01 g, a
phone that films, tubes and beakers with water. An oscilloscope helps in steps 6 and 12. No culture, no alcohol, nothing that must not be spilled.
Estimated: four hours of work, and a day of waiting.

**The output is one file.** \`lcs doctor --report first-board.md\` writes the checks, versions, \`config.txt\`, the parts of the board, the journal without
secrets, and these steps with room for what you have measured. Begin with it, write behind its colons as you go, and run it again at the end: it keeps
what you have written. Read it, then send it in.

Put your unit's name in the place of \`UNIT\`, and an experiment that it belongs to in the place of \`EXPERIMENT\`.`;

/** The protocol for the first real board; `lcs doctor --report` has the same steps. */
export function firstBoardPage(): string {
  const sections = firstBoardSteps.map(({ title, acts, expected, onDeviation, measured }, index) =>
    [
      `## ${index + 1}. ${title}`,
      '',
      ...acts.map((act) => `- ${act}`),
      `- **Expected:** ${expected}`,
      `- **If not:** ${onDeviation}`,
      `- **Write down:** ${measured.join('; ')}.`,
    ].join('\n'),
  );
  const source = '`packages/cluster` (`src/machine-setup/first-board-steps.ts`)';
  return page('Test of the first board', source, [introduction, ...sections]);
}
