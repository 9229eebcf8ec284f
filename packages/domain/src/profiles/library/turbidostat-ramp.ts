export const turbidostatRamp = `# Turbidostat ramp: the density of a growing culture is held, and raised by one step every 12 hours.
#
# Adapt:    first, step and top: target densities. They are normalised: 1 is the density half an hour after the start.
#           exchange_ml: volume of one dilution.
# Needs:    calibrated media and waste pumps. Medium and free waste volume: growth rate x volume x time, for a growth of
#           0.4/h in 14 mL about 140 mL per day and unit.
# Measures: OD, growth rate at each density, temperature, pumped volumes.
# Safe:     each dilution removes more than it adds. Dosing stops after three days.
experiment_profile_name: turbidostat ramp
version: "1.0"
metadata:
  author: Leader Control Service
  description: Holds a density with a turbidostat, and raises it step by step.
inputs: {temperature_c: 30, stir_rpm: 500, first: 4, step: 1, top: 8, exchange_ml: 1}
common:
  jobs:
    stirring:
      actions:
        - {type: start, t: 0s, options: {target_rpm: "\${{ stir_rpm }}"}}
    temperature_automation:
      actions:
        - {type: start, t: 10s, options: {automation_name: thermostat, target_temperature: "\${{ temperature_c }}"}}
    od_reading:
      actions:
        - {type: start, t: 1m}
    growth_rate_calculating:
      actions:
        - {type: start, t: 30m}
    dosing_automation:
      actions:
        - type: start
          t: 1h
          options:
            automation_name: turbidostat
            target_biomass: "\${{ first }}"
            biomass_signal: normalized_od
            exchange_volume_ml: "\${{ exchange_ml }}"
        - type: repeat
          t: 12h
          every: 12h
          while: ::dosing_automation:target_biomass < top
          max_time: 60h
          actions:
            - type: update
              t: 0s
              options: {target_biomass: "\${{ min(::dosing_automation:target_biomass + step, top) }}"}
            - type: log
              t: 1m
              options: {message: "\${{ unit() }}: the target is \${{ ::dosing_automation:target_biomass }}."}
        - {type: stop, t: 72h}
`;
