type Size = Enum['small', 'large']
