/** The error code of a start or a change that a person has to confirm first. */
export const unconfirmedCode = 'dilution_not_confirmed';
