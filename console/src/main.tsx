document.title = 'Payonce console';
