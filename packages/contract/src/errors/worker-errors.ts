import { define } from './error-definition.ts';

/** Errors of the inventory: units, workers, labels, models. */
export const workerErrors = {
  unit_name_invalid: define<{ cause: string }>(400, ({ cause }) => ({
    error: 'The unit name cannot be used.',
    cause,
    remediation: 'Use 1 to 63 letters, digits, dashes or underscores.',
  })),
  unit_unknown: define<{ unit: string; isLeader?: true }>(400, ({ unit, isLeader }) =>
    isLeader === true
      ? {
          error: `Unknown worker: ${unit}`,
          cause: `${unit} is the leader, and no worker.`,
          remediation: 'List /api/workers and pick one of them. The routes below /api/units know the leader, too.',
        }
      : {
          error: `Unknown unit: ${unit}`,
          cause: `${unit} is neither the leader nor in the inventory.`,
          remediation: 'List /api/units and pick one of them.',
        },
  ),
  worker_unknown: define<{ unit: string }>(400, ({ unit }) => ({
    error: `Unknown worker: ${unit}`,
    cause: `${unit} is not in the inventory.`,
    remediation: 'List /api/workers and pick one of them.',
  })),
  worker_not_found: define<{ unit: string }>(404, ({ unit }) => ({
    error: `There is no worker ${unit}.`,
    cause: `${unit} is not in the inventory.`,
    remediation: 'List /api/workers and pick one of them.',
  })),
  worker_address_invalid: define<{ address: string }>(400, ({ address }) => ({
    error: 'This is not an IPv4 address.',
    cause: `'${address}' was sent as ipv4_address.`,
    remediation: 'Send four numbers separated by dots, or leave the field out.',
  })),
  worker_registered: define<{ unit: string }>(409, ({ unit }) => ({
    error: `${unit} is a worker already, or is being set up.`,
    cause: 'The inventory contains this name.',
    remediation: 'Pick another name, or remove the worker first.',
  })),
  worker_setup_failed: define<{ unit: string; cause: string }>(502, ({ unit, cause }) => ({
    error: `${unit} could not be set up.`,
    cause,
    remediation:
      'Check that the machine is on, runs `lcs unit` with this name and the address of this leader, and try again.',
  })),
  worker_setup_timed_out: define<{ unit: string }>(504, ({ unit }) => ({
    error: `${unit} has not enrolled in time.`,
    cause: 'It answers, but was started with another leader, or cannot reach this one.',
    remediation: 'Read the log of the unit, start it with the address of this leader, and try again.',
  })),
  worker_not_assigned: define<{ unit: string }>(404, ({ unit }) => ({
    error: `${unit} is not assigned to an experiment.`,
    cause: 'The worker is free.',
    remediation: 'Assign it to an experiment (PUT /api/experiments/{experiment}/workers).',
  })),
  worker_not_in_experiment: define<{ unit: string; experiment: string }>(404, ({ unit, experiment }) => ({
    error: `${unit} is not assigned to ${experiment}.`,
    cause: 'There is no such assignment.',
    remediation: 'List /api/workers/assignments.',
  })),
  label_taken: define<{ label: string; unit: string; isName?: true }>(409, ({ label, unit, isName }) => ({
    error: `The label '${label}' is taken.`,
    cause: isName ? `It is the name of the unit ${unit}.` : `${unit} has it in this experiment.`,
    remediation: isName ? 'Pick another label.' : `Pick another label, or give ${unit} another one first.`,
  })),
  label_invalid: define<{ cause: string }>(400, ({ cause }) => ({
    error: 'The label cannot be used.',
    cause,
    remediation: 'Use at most 100 characters without control characters; send an empty label to remove one.',
  })),
  model_unknown: define<{ cause: string }>(400, ({ cause }) => ({
    error: 'This model is unknown.',
    cause,
    remediation: 'Choose one of the known models (GET /api/models lists model_name and model_version).',
  })),
  model_not_set: define<{ unit: string }>(404, ({ unit }) => ({
    error: `${unit} has no model yet.`,
    cause: 'Its model was never set.',
    remediation: 'Set its model (PUT /api/workers/{reactor_unit}/model).',
  })),
  model_not_registered: define<{ unit: string; model: string }>(404, ({ unit, model }) => ({
    error: `The model of ${unit} is no longer registered.`,
    cause: `There is no model ${model}.`,
    remediation: 'Restore the model file, or set another model (PUT /api/workers/{reactor_unit}/model).',
  })),
} as const;
