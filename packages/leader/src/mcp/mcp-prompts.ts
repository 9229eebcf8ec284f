/** A text that starts a conversation. */
export interface McpPrompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly { readonly name: string; readonly description: string; readonly required: boolean }[];
  /** With `{name}` for each argument. */
  readonly text: string;
}

export const leaderPrompts: readonly McpPrompt[] = [
  {
    name: 'summarise_experiment',
    title: 'Summarise an experiment',
    description: 'What happened in an experiment so far, and what needs attention',
    arguments: [{ name: 'experiment', description: 'Name of the experiment', required: true }],
    text:
      'Summarise the experiment "{experiment}" for the biologist who runs it. Read its description, its workers, the newest ' +
      'entries of its event log, its optical densities, growth rates and temperatures of the last 24 hours. State for each unit ' +
      'how the culture grows, then what is unusual, then what should be done next. Name times and numbers with their units.',
  },
  {
    name: 'draft_profile',
    title: 'Draft an experiment profile',
    description: 'A profile (YAML) for a goal, from what the units can do',
    arguments: [
      { name: 'goal', description: 'What the experiment is for', required: true },
      { name: 'experiment', description: 'Name of the experiment', required: false },
    ],
    text:
      'Draft an experiment profile in YAML for this goal: {goal}. Experiment: {experiment}. First read what the units can ' +
      'do and which settings their jobs have. Use version "1.0", start each job before it is changed or stopped, and write ' +
      'times as `t: 30m` or `t: 2h`. Explain each step in a comment. Do not start anything.',
  },
];

/** The text of a prompt with its arguments; missing ones are marked. */
export const promptText = ({ text }: McpPrompt, args: Readonly<Record<string, string>>): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => args[name] ?? 'not given');
