notify { 'never': }
